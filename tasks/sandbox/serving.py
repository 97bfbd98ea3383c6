"""What a station does when it is asked: children that collect anew, or that swap live code."""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from . import controls, kernel, limits, messages, session, views
from .journal import Journal
from .recorder import RunRecorder
from .rows import Row, RowRunner, Times
from .session import Collected, Key, SuiteArgs
from .watch import Watch


@dataclass(frozen=True)
class Spec:
    """One suite on one tree, as a station is to run it."""

    tree_id: str
    bytecode_id: str  # '' when the tree has none
    files: dict[str, bytes]
    args: SuiteArgs
    limits: limits.Limits
    targets: tuple[str, ...]  # relative to the tree
    keys: tuple[Key, ...] = ()  # the tests as the baseline collected them
    prewarm: tuple[str, ...] = ()  # modules that tests import as they run

    @property
    def paths(self) -> dict[str, str]:
        """Targets by the absolute name under which they are loaded."""
        return {os.path.join(views.WORK, target): target for target in self.targets}


class Server:
    """Answers requests of the host; one row at a time."""

    def __init__(self, spec: Spec, connection: socket.socket) -> None:
        self.spec = spec
        self.connection = connection
        self.journal = Journal()
        self.ordinal_of: dict[Key, int] = {}
        self.view = views.open_station(
            spec.tree_id, spec.bytecode_id, spec.files, spec.limits.tmp_mb
        )

    def learn(self, keys: Sequence[Sequence[Any]]) -> None:
        """From now on tests are named by their place in this list."""
        self.ordinal_of = {(nodeid, count): n for n, (nodeid, count) in enumerate(keys)}

    def serve(self, answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Answer until the host goes away."""
        while True:
            messages.send(self.connection, answer(messages.receive(self.connection)))

    def row(self, request: dict[str, Any], work: Callable[[Sequence[int]], None]) -> Row:
        """Run one row; `work` runs in the child once its view and its caps are in place."""
        files = {p: text.encode("latin-1") for p, text in request["files"].items()}
        times = Times(
            {int(k): v for k, v in request["cpu"].items()},
            {int(k): v for k, v in request["wall"].items()},
        )
        runner = RowRunner(self.journal, self.spec.limits, times, request["confirm"])

        def fork(batch: Sequence[int]) -> int:
            return self._fork(files, lambda: work(batch))

        begun = None
        if request.get("meet"):
            begun = runner.meet(fork)
            self.learn(begun.collected)
            request["tests"] = range(len(begun.collected))
        return runner.run(
            request["tests"], fork, frozenset(request["stop_at"]), request["one_each"], begun
        )

    def _fork(self, files: dict[str, bytes], work: Callable[[], None]) -> int:
        pid = os.fork()
        if pid:
            return pid
        try:
            self.journal.own()
            self.connection.close()
            views.open_child(self.view, files, self.spec.limits.tmp_mb)
            limits.apply(self.spec.limits)
            kernel.drop_capabilities()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            work()
        except BaseException:
            self.journal.record("broken", traceback.format_exc())
        finally:
            os._exit(0)


def reply(row: Row) -> dict[str, Any]:
    """A row as a message."""
    return asdict(row)


def serve_fresh(spec: Spec, connection: socket.socket) -> None:
    """A station whose children import and collect anew, in a fork or in a new interpreter."""
    server = Server(spec, connection)

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        if "keys" in request:
            server.learn(request["keys"])
            return {}
        new_process = request["strategy"] == "process"

        def work(batch: Sequence[int]) -> None:
            order = {"meet": bool(request.get("meet")), "watch": request["watch"]}
            order |= {"tests": list(batch), "stop_at": request["stop_at"]}
            (_exec if new_process else collect_and_run)(server, order)

        return reply(server.row(request, work))

    server.serve(answer)


def _exec(server: Server, order: dict[str, Any]) -> None:
    """Replace the child by a new interpreter that does the same from nothing."""
    args = asdict(server.spec.args)
    keys = sorted(server.ordinal_of, key=lambda key: server.ordinal_of[key])
    text = json.dumps({"args": args, "order": order, "keys": keys, "targets": server.spec.targets})
    order_fd = os.memfd_create("order")
    os.write(order_fd, text.encode())
    for fd in (order_fd, server.journal.fd):
        os.set_inheritable(fd, True)
    boot = os.path.join(os.path.dirname(__file__), "boot.py")
    command = [sys.executable, boot, "process", str(order_fd), str(server.journal.fd)]
    os.execve(sys.executable, command, os.environ)


def process(order_fd: int, journal_fd: int) -> None:
    """The new interpreter's side of `_exec`."""
    with os.fdopen(order_fd, "rb") as file:
        file.seek(0)
        told = json.loads(file.read())
    journal = Journal(journal_fd)
    os.close(journal_fd)
    journal.own()
    args = SuiteArgs(**{k: tuple(v) for k, v in told["args"].items()})
    ordinal_of = {(nodeid, count): n for n, (nodeid, count) in enumerate(told["keys"])}
    targets = [os.path.join(views.WORK, target) for target in told["targets"]]
    try:
        _collect_and_run(journal, args, ordinal_of, targets, told["order"])
    except BaseException:
        journal.record("broken", traceback.format_exc())
    finally:
        os._exit(0)


def collect_and_run(server: Server, order: dict[str, Any]) -> None:
    """In the child: a whole pytest session, of which the wanted tests are run."""
    _collect_and_run(
        server.journal, server.spec.args, server.ordinal_of, list(server.spec.paths), order
    )


def _collect_and_run(
    journal: Journal,
    args: SuiteArgs,
    ordinal_of: dict[Key, int],
    targets: list[str],
    order: dict[str, Any],
) -> None:
    def then(collected: Collected) -> None:
        wanted, places = order["tests"], ordinal_of
        if order["meet"]:
            journal.record("collected", collected.keys)
            wanted = range(len(collected.keys))
            places = {key: n for n, key in enumerate(collected.keys)}
        before = set(sys.modules)
        watch = None
        if recorder is not None:
            journal.record("ran", _ran(recorder, targets))
            watch = Watch(targets)
            collected.session.config.pluginmanager.register(watch)
        stop_at = frozenset(order["stop_at"])
        session.run(collected, wanted, journal, places, stop_at, watch)
        if watch is not None:
            journal.record("modules", sorted(lazily_imported(before)))
            journal.end()
        os._exit(0)

    recorder = RunRecorder() if order["watch"] else None
    if recorder is not None:
        recorder.start()
    refusal = session.start(args, then)
    journal.record("refusal", refusal or "pytest's loop over the tests returned")


def _ran(recorder: RunRecorder, targets: Sequence[str]) -> list[str] | None:
    """Target functions that ran while the suite was collected; None when that cannot be told."""
    ran = recorder.stop()
    if ran is None:
        return None
    names = []
    for target in targets:
        with open(target, "rb") as file:
            found = controls.ran_functions(file.read(), target, ran)
        names += [f"{target}::{name}" for name in found]
    return names


def lazily_imported(before: set[str]) -> list[str]:
    """Modules of the environment (not of the subject's tree) that tests imported as they ran."""
    found = []
    for name in set(sys.modules) - before:
        file = getattr(sys.modules.get(name), "__file__", None)
        if isinstance(file, str) and not file.startswith((views.WORK, views.TMP)):
            found.append(name)
    return found


def prewarm(names: Sequence[str]) -> None:
    """Import them once for all children; one that fails would have failed in its test."""
    for name in names:
        try:
            importlib.import_module(name)
        except Exception:
            continue
