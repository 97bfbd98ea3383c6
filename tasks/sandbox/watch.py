"""What a test executes: the subject's functions, by the interpreter's own C profiler.

The profiler sees every call of a thread at little cost. What it cannot see (other threads, other
processes, reading or re-running the target's source) marks a test as one that always runs.
"""

from __future__ import annotations

import _lsprof
import os
import sys
import threading
from collections.abc import Collection
from types import CodeType
from typing import Any

import pytest

_LAST_PID = "/proc/sys/kernel/ns_last_pid"


def outermost(qualname: str) -> str:
    """The function at module or class level that a nested function belongs to."""
    return qualname.partition(".<locals>")[0]


class SourceReads:
    """Notices when the text of a target is read as data, by anything but an import."""

    def __init__(self, targets: Collection[str]) -> None:
        self.seen = False
        self._targets = frozenset(targets)
        self._names = frozenset(map(os.path.basename, targets))
        sys.addaudithook(self._audit)

    def _audit(self, event: str, args: Any) -> None:
        if event == "open" and isinstance(args[0], (str, bytes)):
            path = os.fsdecode(args[0])
            if os.path.basename(path) in self._names and os.path.realpath(path) in self._targets:
                reader = sys._getframe(1).f_code.co_filename
                self.seen |= not reader.startswith("<frozen importlib")


class Watch:
    """Observes one test at a time; `targets` are absolute paths of the subject's target files."""

    def __init__(self, targets: Collection[str]) -> None:
        self._targets = frozenset(targets)
        self._reads = SourceReads(targets)

    def before(self, item: pytest.Item) -> None:
        """Start observing."""
        self._reads.seen = False
        self._around_call: list[dict[CodeType, int]] = []
        self._pid = _last_pid()
        self._threads = threading.active_count()
        self._profiler = _lsprof.Profiler(subcalls=False, builtins=False)
        self._profiler.enable()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        """Note what had run before and after the test's own call, where others may notice it."""
        if not _has_shared_fixtures(item):
            return (yield)
        self._around_call = [self._counts()]
        try:
            return (yield)
        finally:
            self._around_call.append(self._counts())

    def _counts(self) -> dict[CodeType, int]:
        return {
            entry.code: entry.callcount
            for entry in self._profiler.getstats()
            if isinstance(entry.code, CodeType) and entry.code.co_filename in self._targets
        }

    def after(self, item: pytest.Item) -> tuple[list[str], list[str], bool, bool]:
        """(functions executed, those of them in shared fixtures, always run, uses Hypothesis)."""
        profile: object = sys.getprofile()
        intact = sys.version_info >= (3, 12) or profile is self._profiler
        counts = self._counts()
        self._profiler.disable()
        started = _last_pid() != self._pid or threading.active_count() != self._threads
        reran = any(code.co_name == "<module>" for code in counts)
        always = started or self._reads.seen or reran or not intact
        # Asked again: a test may have taken a wider fixture as it ran.
        shared = self._outside_call(counts) if _has_shared_fixtures(item) else {}
        return _names(counts), _names(shared), always, uses_hypothesis(item)

    def _outside_call(self, counts: dict[CodeType, int]) -> dict[CodeType, int]:
        if len(self._around_call) < 2:
            return counts  # no call at all: everything was set-up or tear-down
        before, after = self._around_call
        return before | {code: n for code, n in counts.items() if n != after.get(code, 0)}


def _has_shared_fixtures(item: pytest.Item) -> bool:
    """Whether what its set-up did may be seen by other tests too; when in doubt, yes."""
    info = getattr(item, "_fixtureinfo", None)
    if info is None:
        return True
    return any(d.scope != "function" for defs in info.name2fixturedefs.values() for d in defs)


def _names(counts: dict[CodeType, int]) -> list[str]:
    codes = [code for code in counts if code.co_name != "<module>"]
    return sorted({f"{code.co_filename}::{outermost(_qualname(code))}" for code in codes})


def _qualname(code: CodeType) -> str:
    return getattr(code, "co_qualname", code.co_name)


def _last_pid() -> str:
    # Every new process or thread of this pid namespace moves it, however it was started.
    try:
        with open(_LAST_PID) as file:
            return file.read()
    except OSError:
        return ""


def uses_hypothesis(item: pytest.Item) -> bool:
    """Whether the test is driven by Hypothesis, by the mark that its decorator leaves."""
    return bool(getattr(getattr(item, "obj", None), "is_hypothesis_test", False))
