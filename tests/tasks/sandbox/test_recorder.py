from __future__ import annotations

import _lsprof
import sys
import threading
from collections.abc import Callable
from types import ModuleType

import pytest

from tasks.sandbox.recorder import RunRecorder, ran_key


def called() -> int:
    return len(list(generated()))


def generated():  # type: ignore[no-untyped-def]
    yield 1


def in_thread() -> None:
    pass


def not_called() -> None:
    pass


class Callback:
    def __lt__(self, other: object) -> bool:
        return True


def record(work: Callable[[], object]) -> set[str] | None:
    recorder = RunRecorder()
    recorder.start()
    try:
        work()
    finally:
        ran = recorder.stop()
    if ran is None:
        return None
    return {name for path, name, line in ran if path == __file__}


def test_what_ran_is_recorded_and_nothing_else() -> None:
    ran = record(called)
    assert ran is not None
    assert {"called", "generated"} <= ran
    assert "not_called" not in ran


def test_calls_from_c_are_recorded() -> None:
    ran = record(lambda: sorted([Callback(), Callback()]))
    assert ran is not None
    assert {"Callback.__lt__", "__lt__"} & ran


def test_a_key_holds_the_first_line() -> None:
    code = called.__code__
    assert ran_key(code) == (__file__, "called", code.co_firstlineno)


def test_threads_are_recorded() -> None:
    def start() -> None:
        thread = threading.Thread(target=in_thread)
        thread.start()
        thread.join()

    ran = record(start)
    assert ran is not None
    assert "in_thread" in ran


def test_with_targets_recording_waits_for_the_first_of_them() -> None:
    recorder = RunRecorder(["/the/target.py"])
    recorder.start()
    called()
    assert sys.getprofile() is None
    exec(compile("def f(): pass\ndef g(): pass\nf()", "/the/target.py", "exec"), {})
    in_thread()
    ran = recorder.stop()
    assert ran is not None
    names = {(path, name) for path, name, _ in ran}
    assert {("/the/target.py", "f"), (__file__, "in_thread")} <= names
    assert not {("/the/target.py", "g"), (__file__, "called")} & names


def test_targets_that_were_never_executed_ran_nothing() -> None:
    recorder = RunRecorder(["/the/target.py"])
    recorder.start()
    called()
    assert recorder.stop() == frozenset()
    exec(compile("pass", "/the/target.py", "exec"), {})
    assert sys.getprofile() is None


def test_a_target_loaded_before_cuts_the_record() -> None:
    recorder = RunRecorder([__file__])
    recorder.start()
    assert recorder.stop() is None


class Posing:
    """Says that it is a module and has nothing that a module has, as a library of cffi's does."""

    __slots__ = ()

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return ModuleType


def test_what_only_poses_as_a_module_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    posing = Posing()
    assert isinstance(posing, ModuleType)
    monkeypatch.setitem(sys.modules, "posing", posing)
    recorder = RunRecorder([__file__])
    recorder.start()
    assert recorder.stop() is None


def test_a_target_first_executed_in_a_thread_cuts_the_record() -> None:
    recorder = RunRecorder(["/the/target.py"])
    recorder.start()
    thread = threading.Thread(target=exec, args=(compile("0", "/the/target.py", "exec"),))
    thread.start()
    thread.join()
    assert recorder.stop() is None


def test_a_profiler_set_meanwhile_cuts_the_record() -> None:
    if sys.version_info >= (3, 12):
        pytest.skip("a second profiler cannot be set")

    def profile() -> None:
        other = _lsprof.Profiler()
        other.enable()
        other.disable()

    assert record(profile) is None
    assert sys.getprofile() is None


def test_a_profiler_set_before_is_left_alone() -> None:
    other = _lsprof.Profiler()
    other.enable()
    try:
        assert record(called) is None
        called()
    finally:
        other.disable()
    codes = {getattr(entry.code, "co_name", "") for entry in other.getstats()}
    assert "called" in codes


def test_a_profile_function_for_threads_cuts_the_record() -> None:
    assert record(lambda: threading.setprofile(None)) is None
    assert sys.getprofile() is None
