"""Plain functions that stand in for a worker's task, and helpers that make records.

Ray's workers import this file, so it imports nothing but what a worker may.
"""

from __future__ import annotations

import errno
import json
import os
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from cluster.ray_tasks import Started
from configs.errors import InfraError, NotFoundError, SandboxError
from tasks.records import Mutant, Suite, sha256
from tasks.results import Event, Execution, Job, JobResult, Row, Test, Validation


def count(marker: Path) -> int:
    """How often this was called with the marker, this time included; across processes."""
    marker.parent.mkdir(parents=True, exist_ok=True)
    with marker.open("a") as file:
        file.write("x")
    return marker.stat().st_size


def trouble_then_answer(kind: str, times: int, marker: Path) -> Iterator[Any]:
    """A task that fails in a certain way the first `times` times and then answers 42."""
    yield Started("here", os.getpid())
    if count(marker) <= times:
        fail(kind)
    yield 42


def fail(kind: str) -> None:
    """Fail as a worker may: by an exception, or by ending."""
    if kind == "exit":
        os._exit(0)
    if kind == "infra":
        raise InfraError("host went away")
    if kind == "disk full":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if kind == "sandbox":
        raise SandboxError("no user namespaces")
    if kind == "missing package":
        raise NotFoundError("package nowhere==1 cannot be had")
    if kind == "memory":
        raise MemoryError
    raise ZeroDivisionError("a bug of ours")


def sleep_with_child(seconds: float, stubborn: bool, marker: Path) -> Iterator[Any]:
    """A task with a child in its own session; a stubborn one cannot be cancelled softly."""
    yield Started("here", os.getpid())
    child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    marker.write_text(f"{child.pid}")
    if stubborn:
        child.wait()
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            time.sleep(0.02)
    except BaseException:
        # As if the test under way had died of the cancel: the result must not be believed.
        yield -9
        raise
    yield 1


def hold_cpu(seconds: float, release: Path) -> Iterator[Any]:
    """A task that keeps its CPU until the file appears."""
    yield Started("here", os.getpid())
    until = time.monotonic() + seconds
    while time.monotonic() < until and not release.exists():
        time.sleep(0.02)
    yield "held"


def hold_cpu_of(node_id: str, release: Path) -> Iterator[Any]:
    """The same, on a node of that id."""
    yield Started("here", os.getpid(), node_id)
    while not release.exists():
        time.sleep(0.02)
    yield "held"


def measure(job: Job, cache: Path) -> JobResult:
    """Stands in for `tasks.job.run_job`: outcomes follow from the job, costs from the suite's text.

    The text is JSON: `tests`, `row_s` (seconds a mutant takes), `validate_s`, `setup_s`, `status`,
    `trouble` with `times` and `marker` (see `fail`), `lose` (ids of mutants whose row is always
    lost), `lose_once`, `begun` (a file to make), `log` (a folder where each row leaves a mark),
    `differ` (rows that disagree), `wrong` (how many of its tests fail on the correct code).
    """
    told: dict[str, Any] = json.loads(job.suite.source)
    began = time.monotonic()
    if "begun" in told:
        Path(told["begun"]).touch()
    time.sleep(told.get("setup_s", 0.0))
    time.sleep(told.get("validate_s", 0.0) if job.validation is None else 0.0)
    if "trouble" in told and count(Path(told["marker"])) <= told["times"]:
        fail(told["trouble"])
    validation = job.validation or _validation(job, told)
    rows, events = [], []
    for mutant in runnable(validation.status, job.mutants):
        if job.budget_s and time.monotonic() - began >= told.get("budget_s", job.budget_s):
            break
        time.sleep(told.get("row_s", 0.0))
        if _lost(told, mutant.mutant_id):
            events.append(Event(time.time(), "lost_row", mutant.mutant_id))
            continue
        if mutant.mutant_id in told.get("differ", ()):
            events.append(Event(time.time(), "disagreement", mutant.mutant_id))
        if "log" in told:
            count(Path(told["log"]) / f"{job.suite.suite_id}-{mutant.mutant_id}")
        rows.append(row_of(job.suite, mutant, len(validation.tests), job.settings.environment))
    fresh = validation if job.validation is None else None
    return JobResult(fresh, tuple(rows), tuple(events), 0.5, time.monotonic() - began)


def _lost(told: dict[str, Any], mutant_id: str) -> bool:
    if mutant_id in told.get("lose", ()):
        return True
    once = mutant_id in told.get("lose_once", ())
    return once and count(Path(told["marker"]) / mutant_id) == 1


def runnable(status: str, mutants: Iterable[Mutant]) -> list[Mutant]:
    """What a suite is run against: one that cannot kill meets the planted bug all the same."""
    return [m for m in mutants if status == "valid" or (status == "no_kept_tests" and m.planted)]


def row_of(suite: Suite, mutant: Mutant, tests: int, environment: str = "default") -> Row:
    """The row that any undisturbed run gives."""
    digest = sha256(suite.source_sha256.encode() + mutant.source + environment.encode())
    outcomes = ["failed" if int(digest[n], 16) % 2 else "passed" for n in range(tests)]
    return Row(
        mutant.mutant_id,
        "swap",
        tuple(
            Execution(n, outcome, True, 0.001, "AssertionError" * (outcome == "failed"), "")
            for n, outcome in enumerate(outcomes)
        ),
    )


def _validation(job: Job, told: dict[str, Any]) -> Validation:
    tests = tuple(
        _test(job.suite.suite_id, n, n < told.get("wrong", 0)) for n in range(told.get("tests", 3))
    )
    return Validation(
        job.suite.suite_id,
        told.get("status", "valid"),
        told.get("reason", ""),
        tests,
        baseline_s=told.get("row_s", 0.003),
        import_executed=("a.py::f",),
        versions=(("python", "3.11"),),
    )


def _test(suite_id: str, number: int, wrong: bool) -> Test:
    return Test(
        f"{suite_id}:{number:05d}",
        suite_id,
        number,
        f"t.py::t\udcff{number}",
        not wrong,
        "wrong_oracle" if wrong else "",
        ("failed" if wrong else "passed",),
        0.001,
        0.0,
        exception="AssertionError" if wrong else "",
        message="assert 1 == 2" if wrong else "",
    )
