"""Owns the record of which functions ran while a suite was imported and collected."""

from __future__ import annotations

import _lsprof
import sys
import threading
from collections.abc import Collection
from types import CodeType, FrameType, ModuleType
from typing import Any

RanKey = tuple[str, str, int]  # co_filename, co_qualname (co_name before 3.11), co_firstlineno


def ran_key(code: CodeType) -> RanKey:
    """How a code object is named in the record."""
    return code.co_filename, getattr(code, "co_qualname", code.co_name), code.co_firstlineno


class RunRecorder:
    """Records every Python function that runs between `start` and `stop`, in all threads that
    `threading` starts in between, by the interpreter's C profiler.

    The profiler slows Python code down by half. With `targets`, absolute file names, it waits
    until one of these files is executed: before that no function of theirs can run. `unseen` says
    that none of them can be loaded yet; otherwise that is looked up in every module.
    """

    def __init__(self, targets: Collection[str] = (), unseen: bool = False) -> None:
        self._profiler: Any = _lsprof.Profiler(subcalls=False, builtins=False)
        self._in_threads: set[RanKey] = set()
        self._awaited = frozenset(targets)
        self._unseen = unseen
        self._begun = False
        self._cut = False

    def start(self) -> None:
        """Begin. A profiler that is active or a target that is loaded already makes the record a
        cut one: what ran before is not known.
        """
        if not self._awaited:
            self._begin()
        elif not self._unseen and self._awaited & _loaded_files():
            self._begun = self._cut = True
        else:
            sys.addaudithook(self._audit)

    def stop(self) -> frozenset[RanKey] | None:
        """What ran; None when the record was cut (other code set a profiler): trust nothing then.

        Afterwards the recorder holds no code object, which would look like a holder of it.
        """
        self._awaited = frozenset()
        if not self._begun:
            return frozenset()
        active = self._is_active()
        threads = threading.getprofile() == self._in_thread
        # A profiler that took the place of ours is not ours to remove.
        if active:
            self._profiler.disable()
        if threads:
            threading.setprofile(None)
        codes = [entry.code for entry in self._profiler.getstats()]
        ran = frozenset(ran_key(code) for code in codes if isinstance(code, CodeType))
        self._profiler = None
        return ran | self._in_threads if active and threads else None

    def _audit(self, event: str, args: tuple[Any, ...]) -> None:
        # A hook stays for the life of the process: it must cost nothing once it has served.
        if event == "exec" and self._awaited and args[0].co_filename in self._awaited:
            self._awaited = frozenset()
            self._begin()

    def _begin(self) -> None:
        self._begun = True
        # The profiler is one of the current thread.
        alone = threading.current_thread() is threading.main_thread()
        self._cut = not alone or sys.getprofile() is not None
        if self._cut:
            return
        threading.setprofile(self._in_thread)
        try:
            self._profiler.enable()
        except ValueError:  # 3.12 and later: another tool holds the profiler's place
            self._cut = True

    def _is_active(self) -> bool:
        if self._cut:
            return False
        if sys.version_info >= (3, 12):
            return sys.monitoring.get_tool(sys.monitoring.PROFILER_ID) is not None
        return sys.getprofile() is self._profiler

    def _in_thread(self, frame: FrameType, event: str, arg: Any) -> None:
        if event == "call":
            self._in_threads.add(ran_key(frame.f_code))


def _loaded_files() -> set[str]:
    # By type: what only says that it is a module, as cffi's libraries do, need not be like one.
    modules = [m for m in list(sys.modules.values()) if issubclass(type(m), ModuleType)]
    # Asking a lazy module for an attribute would import it.
    spaces = [object.__getattribute__(module, "__dict__") for module in modules]
    return {file for space in spaces if isinstance(file := space.get("__file__"), str)}
