"""One pytest session: how it is started, and how its collected tests are run and recorded.

pytest runs as itself; we take over where it would loop over the tests, through its public hook.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import random
import sys
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from _pytest.config import default_plugins

from .forkable import open_descriptors
from .journal import Journal
from .outcomes import KILLING, Recorder, describe

SEED = 0
_OURS = __name__.partition(".")[0]
_HYPOTHESIS = "_hypothesis_pytestplugin"  # declared by default, so it may be absent
Key = tuple[str, int]  # node id, and which of several tests with that same id


@dataclass(frozen=True)
class SuiteArgs:
    """What pytest is told: the suite's paths, plugins by module name, further arguments."""

    paths: tuple[str, ...]
    plugins: tuple[str, ...]
    extra: tuple[str, ...]
    import_roots: tuple[str, ...]
    owned: tuple[str, ...]  # top-level module names that the subject's tree provides


@dataclass
class Collected:
    """A session about to run: its items in file order, with a key for each."""

    session: pytest.Session
    recorder: Recorder
    items: list[pytest.Item]
    fds: frozenset[int] = frozenset()  # open before any code of the suite was loaded
    captured: frozenset[int] = frozenset()  # of the files that pytest's capture writes to
    keys: list[Key] = field(default_factory=list)

    def __post_init__(self) -> None:
        seen: dict[str, int] = {}
        for item in self.items:
            count = seen.get(item.nodeid, 0)
            seen[item.nodeid] = count + 1
            self.keys.append((item.nodeid, count))


class _Loop:
    """The plugin that takes over once everything is collected."""

    def __init__(self, recorder: Recorder, then: Callable[[Collected], None]) -> None:
        self._recorder = recorder
        self._then = then
        self.refusal = ""
        self.reached = False
        self._fds = open_descriptors()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.reached = True
        self.refusal = _foreign_loop(session, self)
        # Its lines go nowhere, and drawing them costs as much as a small test.
        session.config.pluginmanager.unregister(name="terminalreporter")
        if not self.refusal:
            captured = _capture_fds(session.config)
            fds = self._fds | captured
            self._then(Collected(session, self._recorder, list(session.items), fds, captured))
        return True


def _capture_fds(config: pytest.Config) -> frozenset[int]:
    """Those of pytest's own capture; it empties its files before each use, so forks may share."""
    capture = getattr(config.pluginmanager.getplugin("capturemanager"), "_global_capturing", None)
    found = set()
    for stream in ("in_", "out", "err"):
        part = getattr(capture, stream, None)
        found.add(getattr(part, "targetfd_save", None))
        file: Any = getattr(part, "tmpfile", None)
        with contextlib.suppress(AttributeError, OSError, ValueError):
            found.add(file.fileno())
    return frozenset(fd for fd in found if isinstance(fd, int))


def _foreign_loop(session: pytest.Session, ours: object) -> str:
    for hook in session.config.hook.pytest_runtestloop.get_hookimpls():
        wrapper = hook.hookwrapper or hook.wrapper
        name = getattr(hook.function, "__module__", "")
        if hook.plugin is not ours and not wrapper and not name.startswith("_pytest."):
            return f"{name} replaces pytest's loop over the tests"
    return ""


def start(args: SuiteArgs, then: Callable[[Collected], None]) -> str:
    """Run pytest up to its loop over the tests and call `then`; '' or why that never happened."""
    _import_all_of_pytest()
    forget_owned(args.owned)
    roots = [os.path.join("/work", root).rstrip("/") for root in args.import_roots]
    sys.path[:0] = roots
    # For processes that tests start; set this late, since a new interpreter of ours must find
    # pytest's own dependencies before it finds a subject of the same name.
    os.environ["PYTHONPATH"] = os.pathsep.join(roots)
    # As under `python -m pytest`: what looks at the main module, or runs it again, finds pytest.
    main = os.path.join(os.path.dirname(pytest.__file__), "__main__.py")
    sys.modules["__main__"].__file__ = main
    recorder = Recorder()
    loop = _Loop(recorder, then)
    random.seed(SEED)
    status = pytest.main(command_line(args), plugins=[recorder, loop])
    if loop.refusal:
        return loop.refusal
    if not loop.reached:
        return f"pytest ended with status {int(status)} before it ran a test"
    return ""


def _import_all_of_pytest() -> None:
    """What pytest would import later must come before the subject's modules take those names."""
    for name in default_plugins:
        importlib.import_module(f"_pytest.{name}")


def command_line(args: SuiteArgs) -> list[str]:
    """pytest's arguments. Inherited addopts are dropped: -x, --cov or -n would bend the verdicts.

    Assertions stay plain: rewriting them renders differences at great cost for each killed mutant,
    and changes no outcome.
    """
    names = [n for n in args.plugins if n != _HYPOTHESIS or importlib.util.find_spec(n)]
    plugins = [word for name in names for word in ("-p", name)]
    fixed = ["--rootdir=/work", "--assert=plain", "--basetemp=/tmp/pytest", "--no-header", "-q"]
    ini = ["-o", "addopts=", "-o", "cache_dir=/tmp/pytest-cache"]
    return [*plugins, *ini, *fixed, *args.extra, *args.paths]


def forget_owned(names: Sequence[str]) -> None:
    """Drop modules that the host imported under names the subject owns (packaging, pluggy, ...).

    pytest keeps the objects it holds; the suite then imports the subject's own code. Our own
    modules go too: Hypothesis would take constants of theirs for its examples.
    """
    for name in list(sys.modules):
        if name.partition(".")[0] in {*names, _OURS}:
            del sys.modules[name]


def run(
    collected: Collected,
    wanted: Sequence[int],
    journal: Journal,
    ordinal_of: dict[Key, int],
    stop_at: frozenset[int] = frozenset(),
    watch: Any = None,
) -> None:
    """Run the wanted tests in file order, recording each as it ends; then the end marker.

    `ordinal_of` gives a test's place in the suite as first collected; a test not in it is left out.
    A killing outcome of a test in `stop_at` ends the run early. `watch`, where given, observes what
    each test executes.
    """
    chosen = set(wanted)
    found = [
        (ordinal_of[key], item)
        for key, item in zip(collected.keys, collected.items, strict=True)
        if ordinal_of.get(key, -1) in chosen
    ]
    journal.record("found", [ordinal for ordinal, _ in found])
    for nodeid, name, message in collected.recorder.collect_errors:
        journal.record("collect_error", nodeid, name, message)
    _drop_captured(collected.session.config, collected.captured)
    random.seed(SEED)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(SEED)
    following = [*(item for _, item in found[1:]), None][: len(found)]
    for (ordinal, item), nextitem in zip(found, following, strict=True):
        outcome = _run_one(collected.recorder, item, nextitem, journal, ordinal, watch)
        if outcome in KILLING and ordinal in stop_at:
            break
    journal.end()


def _drop_captured(config: pytest.Config, captured: Collection[int]) -> None:
    """Forks share the files of pytest's capture: one that was killed leaves its output there."""
    if captured and not any(os.fstat(fd).st_size for fd in captured):
        return
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture is not None and capture.is_globally_capturing():
        capture.read_global_capture()


def _run_one(
    recorder: Recorder,
    item: pytest.Item,
    nextitem: pytest.Item | None,
    journal: Journal,
    ordinal: int,
    watch: Any,
) -> str:
    journal.begin(ordinal)
    recorder.start()
    wall, cpu = time.perf_counter(), time.process_time()
    if watch is not None:
        watch.before(item)
    try:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=nextitem)
        outcome, name, message = recorder.outcome()
    except BaseException as error:  # pytest.exit or Ctrl-C from within a test would end the row
        name, message = describe(error)
        journal.record("test", ordinal, "crashed", 0.0, 0.0, name, message)
        os._exit(0)  # pytest's fixture stack is undefined now: a new fork goes on
    if watch is not None:
        journal.record("watched", ordinal, *watch.after(item))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    journal.record("test", ordinal, outcome, wall, cpu, name, message)
    return outcome
