"""A pytest plugin inside the other sandbox: one line of JSON for each test that begins and ends.

Loaded by name in a plain `python -m pytest`; it shares no code with the engine, whose outcomes it
is there to check. DIFFERENTIAL_REPORT names the file to append to, DIFFERENTIAL_DONE one with the
tests that have their outcome already: [[node id, which of several with that id], ...].
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

_PID = os.getpid()
os.environ.pop("PYTEST_ADDOPTS", None)  # read by now, and no business of processes that tests start
_phases: dict[str, str] = {}
_keys: dict[pytest.Item, tuple[str, int]] = {}


def _tell(**fields: object) -> None:
    if os.getpid() != _PID:
        return
    line = json.dumps(fields).encode() + b"\n"
    # Opened anew each time: a test may close every file descriptor it finds.
    fd = os.open(os.environ["DIFFERENTIAL_REPORT"], os.O_WRONLY | os.O_APPEND)
    try:
        os.write(fd, line)
    finally:
        os.close(fd)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    done = {tuple(key) for key in json.loads(Path(os.environ["DIFFERENTIAL_DONE"]).read_text())}
    seen: dict[str, int] = {}
    left = []
    for item in items:
        count = seen.get(item.nodeid, 0)
        seen[item.nodeid] = count + 1
        _keys[item] = (item.nodeid, count)
        if _keys[item] not in done:
            left.append(item)
    items[:] = left


@pytest.hookimpl(tryfirst=True)
def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _tell(collect_error=report.nodeid)


def pytest_collection_finish(session: pytest.Session) -> None:
    _tell(collected=len(session.items))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    _phases.clear()
    _tell(begun=_keys[item])
    began = time.perf_counter()
    result = yield
    seconds = time.perf_counter() - began
    _tell(ended=_keys[item], outcome=_outcome(), seconds=seconds)
    return result


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    result = report.outcome + ("/xfail" if hasattr(report, "wasxfail") else "")
    when = report.when or "call"
    if _phases.get(when) != "failed":
        _phases[when] = result


def _outcome() -> str:
    results = list(_phases.values())
    if _phases.get("call") == "failed":
        return "failed"
    if "failed" in results:
        return "error"
    if "skipped/xfail" in results:
        return "xfailed"
    if "passed/xfail" in results:
        return "xpassed"
    if "skipped" in results:
        return "skipped"
    return "passed"


def pytest_sessionfinish() -> None:
    _tell(finished=True)
