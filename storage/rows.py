"""Rows of the store made from records, column by column: a large matrix is 100,000 rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Literal

import pyarrow as pa

from storage.building import build, columns_of, instant
from tasks.records import Mutant, Subject, Suite
from tasks.results import Event, Row, Validation


@dataclass(frozen=True)
class CellState:
    """How a cell ended. Times in seconds, `cost_usd` None when there is no known cost.

    `missing` is trouble on our side that lasted, with its reason: such a cell is never scored.
    `suite_id` is the suite that counts, the cell's last one.
    """

    cell_id: str
    subject_id: str
    arm: str
    replicate: int
    suite_id: str
    status: Literal["done", "missing"]
    reason: str = ""
    verdict: str = ""
    attempts: int = 1
    seed_sha256: str = ""
    cost_usd: float | None = None
    cpu_s: float | None = None
    wall_s: float | None = None


def subject_rows(experiment_id: str, subject: Subject, mutant_set_sha256: str = "") -> pa.Table:
    """One row of `subjects`."""
    columns = {
        "experiment_id": experiment_id,
        "subject_id": subject.subject_id,
        "name": subject.name,
        "kind": subject.kind,
        "family": subject.family,
        "split": subject.split,
        "module": subject.module,
        "targets": [list(subject.targets)],
        "tree_sha256": subject.tree_sha256,
        "source_sha256": subject.source_sha256,
        "mutant_set_sha256": mutant_set_sha256,
        "environment_id": subject.environment.environment_id,
        "docstring": subject.docstring,
        "licence": subject.licence,
    }
    return build("subjects", columns, 1)


def mutant_rows(experiment_id: str, mutants: Sequence[Mutant]) -> pa.Table:
    """One row of `mutants` for each, in the order of the mutant set."""
    columns = columns_of(
        mutants,
        "subject_id mutant_id engine engine_version name operator category path line column diff "
        "source_sha256 status planted",
    )
    columns |= {"experiment_id": experiment_id, "ordinal": range(len(mutants))}
    return build("mutants", columns, len(mutants))


def cell_rows(experiment_id: str, cells: Sequence[CellState]) -> pa.Table:
    """One row of `cells` for each."""
    columns = columns_of(cells, " ".join(CellState.__annotations__))
    columns["experiment_id"] = experiment_id
    return build("cells", columns, len(cells))


def suite_rows(
    experiment_id: str,
    cell_id: str,
    suite: Suite,
    validation: Validation,
) -> pa.Table:
    """One row of `suites`: the suite and what validation in the first environment made of it."""
    columns = columns_of(
        [suite],
        "suite_id subject_id arm replicate round role origin model condition draw prompt_sha256 "
        "source source_sha256",
    )
    columns |= {
        "experiment_id": experiment_id,
        "cell_id": cell_id,
        "status": validation.status,
        "reason": validation.reason,
        "flags": [list(suite.flags)],
        "tests_collected": len(validation.tests),
        "tests_kept": sum(test.kept for test in validation.tests),
        "baseline_s": validation.baseline_s,
    }
    return build("suites", columns, 1)


def validation_rows(
    experiment_id: str,
    cell_id: str,
    suite: Suite,
    validation: Validation,
    environment: str,
    primary: bool,
) -> pa.Table:
    """One row of `validations`: what one environment made of a suite."""
    columns = {
        "experiment_id": experiment_id,
        "subject_id": suite.subject_id,
        "cell_id": cell_id,
        "suite_id": suite.suite_id,
        "environment": environment,
        "primary": primary,
        "status": validation.status,
        "reason": validation.reason,
        "tests_collected": len(validation.tests),
        "tests_kept": sum(test.kept for test in validation.tests),
        "baseline_s": validation.baseline_s,
    }
    return build("validations", columns, 1)


def test_rows(
    experiment_id: str, cell_id: str, suite: Suite, validation: Validation, environment: str
) -> pa.Table:
    """One row of `tests` for each test collected in an environment, kept or not."""
    tests = validation.tests
    columns = columns_of(
        tests,
        "test_id suite_id ordinal nodeid kept dropped_reason baseline_outcomes duration_s cpu_s "
        "executed always_run uses_hypothesis exception message",
    )
    columns |= {
        "experiment_id": experiment_id,
        "environment": environment,
        "subject_id": suite.subject_id,
        "cell_id": cell_id,
    }
    return build("tests", columns, len(tests))


def execution_rows(
    experiment_id: str,
    cell_id: str,
    suite: Suite,
    validation: Validation,
    environment: str,
    rows: Sequence[Row],
) -> pa.Table:
    """One row of `executions` for each matrix entry, mutant by mutant, in test order.

    `validation` is the environment's: a kept test of a suite that is valid there may kill.
    """
    entries = list(chain.from_iterable(row.executions for row in rows))
    ordinals, outcomes, executed, durations, exceptions, messages = (
        zip(*entries, strict=True) if entries else [()] * 6
    )
    tests = {test.ordinal: test for test in validation.tests}
    valid = validation.status == "valid"
    may_kill = {ordinal: valid and test.kept for ordinal, test in tests.items()}
    columns = {
        "experiment_id": experiment_id,
        "subject_id": suite.subject_id,
        "cell_id": cell_id,
        "suite_id": suite.suite_id,
        "mutant_id": _per_row(rows, "mutant_id"),
        "test_id": [tests[ordinal].test_id for ordinal in ordinals],
        "ordinal": ordinals,
        "nodeid": [tests[ordinal].nodeid for ordinal in ordinals],
        "may_kill": [may_kill[ordinal] for ordinal in ordinals],
        "outcome": outcomes,
        "executed": executed,
        "duration_s": durations,
        "exception": exceptions,
        "message": messages,
        "strategy": _per_row(rows, "strategy"),
        "environment": environment,
    }
    return build("executions", columns, len(entries))


def event_rows(
    experiment_id: str,
    events: Sequence[Event],
    subject_id: str = "",
    cell_id: str = "",
    suite_id: str = "",
) -> pa.Table:
    """One row of `events` for each; `at` of an event is seconds since 1970."""
    columns = {
        "experiment_id": experiment_id,
        "at": [instant(event.at) for event in events],
        "kind": [event.kind for event in events],
        "subject_id": subject_id,
        "cell_id": cell_id,
        "suite_id": suite_id,
        "detail": [event.detail for event in events],
    }
    return build("events", columns, len(events))


def _per_row(rows: Sequence[Row], name: str) -> list[str]:
    return list(
        chain.from_iterable(repeat(getattr(row, name), len(row.executions)) for row in rows)
    )
