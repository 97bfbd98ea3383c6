"""From pytest's reports of one test to its outcome, without the cost of rendering failures."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import pytest

KILLING = frozenset({"failed", "error", "timeout", "crashed"})
MESSAGE_LENGTH = 200


class Recorder:
    """A pytest plugin that watches one test at a time and says how it ended."""

    def __init__(self) -> None:
        self.collect_errors: list[tuple[str, str, str]] = []
        self.start()

    def start(self) -> None:
        """Forget the last test."""
        self._phases: dict[str, str] = {}
        self._failure = ("", "")

    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[Any]
    ) -> pytest.TestReport:
        """Build the report as pytest does, with one line in place of a rendered traceback.

        Not `tryfirst`: pytest's own unittest support must first turn its skips into pytest's.
        """
        outcome, text = "passed", None
        if call.excinfo is not None:
            skipped = isinstance(call.excinfo.value, pytest.skip.Exception)
            outcome = "skipped" if skipped else "failed"
            name, message = describe(call.excinfo.value)
            text = (str(item.path), 0, message) if skipped else f"{name}: {message}"
        return pytest.TestReport(
            nodeid=item.nodeid,
            location=item.location,
            keywords={},
            outcome=outcome,  # type: ignore[arg-type]
            longrepr=text,
            when=call.when,  # type: ignore[arg-type]
            sections=[],
            duration=call.duration,
            start=call.start,
            stop=call.stop,
            user_properties=item.user_properties,
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the phase's result; a failed subtest counts for its test."""
        result = report.outcome + ("-xfail" if hasattr(report, "wasxfail") else "")
        when = report.when or "call"
        if self._phases.get(when) != "failed":
            self._phases[when] = result
        if result == "failed" and not self._failure[0]:
            name, _, message = str(report.longrepr).partition(": ")
            self._failure = (name[:80], message[:MESSAGE_LENGTH])

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember which files could not be collected, and why."""
        if report.failed:
            name, message = _last_line(str(report.longrepr))
            self.collect_errors.append((report.nodeid, name, message))

    def outcome(self) -> tuple[str, str, str]:
        """(outcome, exception type, message) of the test that just ended."""
        setup, call, teardown = (self._phases.get(w, "") for w in ("setup", "call", "teardown"))
        if call == "failed":
            return ("failed", *self._failure)
        if "failed" in (setup, teardown):
            return ("error", *self._failure)
        if "skipped-xfail" in (setup, call):
            return "xfailed", "", ""
        if call == "passed-xfail":
            return "xpassed", "", ""
        if "skipped" in (setup, call, teardown):
            return "skipped", "", ""
        if call == "passed" and teardown:
            return "passed", "", ""
        return "crashed", "NoReport", "the test ended without its reports"


def describe(error: BaseException) -> tuple[str, str]:
    """(type name, message with the failing line), bounded, whatever the exception does."""
    name = type(error).__name__[:80]
    try:
        message = str(error)[: 2 * MESSAGE_LENGTH]
    except BaseException as inner:  # a hostile __str__ is the test's business, not ours
        message = f"<{type(inner).__name__} in __str__>"
    line = _failing_line(error.__traceback__)
    return name, " ".join(f"{message} {line}".split())[:MESSAGE_LENGTH]


def _failing_line(trace: TracebackType | None) -> str:
    if trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    return f"[{code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}]"


def _last_line(text: str) -> tuple[str, str]:
    lines = [line for line in text.splitlines() if line.startswith("E ")] or text.splitlines()
    last = lines[-1].removeprefix("E").strip() if lines else ""
    name, separator, message = last.partition(": ")
    return (name[:80], message[:MESSAGE_LENGTH]) if separator else ("", last[:MESSAGE_LENGTH])
