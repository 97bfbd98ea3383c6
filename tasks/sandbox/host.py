"""The warm host: imports pytest once, then works through the suites that the worker sends."""

from __future__ import annotations

import contextlib
import gc
import importlib.metadata
import os
import platform
import resource
import socket
import sys
import traceback
from pathlib import Path

from . import messages, session, stations
from .journal import Journal
from .session import Collected, SuiteArgs
from .suite import SuiteRun

_WARM_RUNS = 2
_WARM = ("_hypothesis_pytestplugin",)


def main(control_fd: int) -> None:
    """Serve the worker until it goes away."""
    control = socket.socket(fileno=control_fd)
    control.set_inheritable(False)
    try:
        _warm()
        _try_station()
    except BaseException:
        messages.send(control, {"failed": traceback.format_exc().strip().splitlines()[-1]})
        return
    messages.send(control, {"versions": versions()})
    while True:
        try:
            job = messages.receive(control)
        except messages.ClosedError:
            return
        before = _cpu_s()
        try:
            _load(job["loads"])
            for message in SuiteRun(job, (control,)).run():
                messages.send(control, message)
            messages.send(control, {"done": True, "cpu_s": _cpu_s() - before})
        except messages.ClosedError:
            return
        except BaseException:
            messages.send(control, {"failed": traceback.format_exc()})
            return


def _cpu_s() -> float:
    """CPU time of this process and of all below it that was ended and waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _load(names: list[str]) -> None:
    """Import what the suite will import, once for all suites after it.

    Not before it is needed: every fork of a larger process costs more.
    """
    new = [name for name in names if name not in sys.modules]
    for name in new:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    if new:
        gc.collect()
        gc.freeze()


def _warm() -> None:
    """Pay once for what every session would pay: imports, and sessions over tests of our own.

    What has run before the fork is specialised by the interpreter and in its caches, so that
    children write to, and have to copy, fewer pages of memory.
    """
    for name in _WARM:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    path, folder, modules = list(sys.path), os.getcwd(), set(sys.modules)
    journal = Journal()
    journal.own()
    for _ in range(_WARM_RUNS):
        journal.reset()
        _warm_session(journal)
    journal.close()
    sys.path[:] = path
    os.chdir(folder)
    os.environ.pop("PYTHONPATH", None)
    here = os.path.dirname(__file__)
    for name in set(sys.modules) - modules:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(here):
            del sys.modules[name]
    gc.collect()
    gc.freeze()


def _warm_session(journal: Journal) -> None:
    def then(collected: Collected) -> None:
        places = {key: n for n, key in enumerate(collected.keys)}
        session.run(collected, range(len(places)), journal, places)

    here = os.path.join(os.path.dirname(__file__), "warm")
    extra = ("-c", os.devnull, f"--rootdir={here}")
    args = SuiteArgs((here,), ("_hypothesis_pytestplugin",), extra, (), ())
    session.start(args, then)


def _try_station() -> None:
    """Nested namespaces are what keeps the host alive: find out now whether they work."""
    station = stations.Station(lambda connection: _echo(connection))
    try:
        station.ask({}, 30.0)
    finally:
        station.close()


def _echo(connection: socket.socket) -> None:
    messages.receive(connection)
    messages.send(connection, {})


def versions() -> dict[str, str]:
    """The interpreter and every package that a suite can import."""
    found = {d.metadata["Name"]: d.version for d in importlib.metadata.distributions()}
    found["python"] = platform.python_version()
    found["platform"] = f"{platform.machine()}-{Path('/usr').exists() and sys.platform}"
    return found
