"""Owns kill matrices as this folder compares them, and how the engine's are obtained."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.cases import Case
from benchmarks.plain_pytest import Key
from configs.errors import InfraError
from tasks.job import run_job
from tasks.records import ExecutionSettings, Strategy
from tasks.results import Execution, Job, Test


@dataclass(frozen=True)
class Matrix:
    """Rows of one case under one strategy: mutant id -> test -> what happened."""

    tests: dict[Key, Test]
    rows: dict[str, dict[Key, Execution]]
    strategies: Counter[str]
    events: tuple[str, ...]
    seconds: float

    def verdict(self, mutant_id: str) -> str:
        """killed, timeout, survived or not_covered, as the store's views define them."""
        row = self.rows[mutant_id]
        kept = [row[key] for key, test in self.tests.items() if test.kept]
        outcomes = {entry.outcome for entry in kept}
        if outcomes & {"failed", "error"}:
            return "killed"
        if outcomes & {"timeout", "crashed"}:
            return "timeout"
        return "survived" if any(entry.executed for entry in kept) else "not_covered"

    def killers(self, mutant_id: str) -> dict[str, str]:
        """Node ids of the tests that kill a mutant, with their outcomes."""
        row = self.rows[mutant_id]
        return {
            key[0]: row[key].outcome
            for key, test in self.tests.items()
            if test.kept and row[key].outcome in ("failed", "error", "timeout", "crashed")
        }


def engine_matrix(
    case: Case, strategy: Strategy, select: Literal["covering", "all"], cache: Path
) -> Matrix:
    """All mutants of a case under one strategy, with a user's default settings beside it."""
    began = time.monotonic()
    settings = ExecutionSettings(strategy=strategy, select=select, recheck_share=0.0)
    result = run_job(Job(case.subject, case.suite, case.mutants, settings), cache)
    validation = result.validation
    if validation is None or validation.status != "valid":
        raise InfraError(f"{case.name}: the suite is not valid: {validation}")
    keys = keys_of(validation.tests)
    rows = {
        row.mutant_id: {keys[entry.ordinal]: entry for entry in row.executions}
        for row in result.rows
    }
    lost = [m.name for m in case.mutants if m.mutant_id not in rows]
    if lost:
        raise InfraError(f"{case.name}: no row for {', '.join(lost[:5])} under {strategy}")
    return Matrix(
        tests={keys[test.ordinal]: test for test in validation.tests},
        rows=rows,
        strategies=Counter(row.strategy for row in result.rows),
        events=tuple(f"{event.kind}: {event.detail}" for event in result.events),
        seconds=time.monotonic() - began,
    )


def keys_of(tests: Sequence[Test]) -> dict[int, Key]:
    """Tests by ordinal as (node id, which of several with that id)."""
    seen: Counter[str] = Counter()
    keys = {}
    for test in sorted(tests, key=lambda each: each.ordinal):
        keys[test.ordinal] = (test.nodeid, seen[test.nodeid])
        seen[test.nodeid] += 1
    return keys
