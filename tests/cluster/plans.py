"""Plans made of records, whose suites tell `work.measure` what to do; and what a run stored."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from cluster.board import Board
from cluster.conduct import conduct
from cluster.ledger import RetryPolicy
from cluster.options import RunOptions
from cluster.plan import Cell, Plan, PlannedSubject
from cluster.resume import Resume
from cluster.stopping import Stopping
from configs.loading import make_config
from storage.objects import open_store
from storage.units import read_index
from tasks.mutants import MutantSet
from tasks.records import ExecutionSettings, Mutant, MutantStatus, SourceFile, Subject, Suite
from tests.cluster import work

QUICK = RetryPolicy(margin_s=5.0, grace_s=0.5, pause_s=0.01)


def config() -> Any:
    return make_config(
        {
            "experiment": "made",
            "subjects": [{"problems": "green_tests"}],
            "mutants": [{"engine": "mutmut"}],
            "arms": [{"name": "a", "writer": {"files": "existing"}}],
        },
        Path(),
    )


def subject_of(name: str, mutants: int = 4, planted: int | None = None) -> PlannedSubject:
    source = f"def f(x):\n    return x  # {name}\n".encode()
    subject = Subject(name, name, "function", (SourceFile("a.py", source),), ("a.py",))
    made = tuple(
        replace(mutant_of(name, n, "ok" if n < mutants else "uncompilable"), planted=n == planted)
        for n in range(mutants + 1)
    )
    return PlannedSubject(subject, MutantSet(name, made, (), "0" * 64))


def mutant_of(subject_id: str, number: int, status: MutantStatus = "ok") -> Mutant:
    source = f"def f(x):\n    return x + {number}\n".encode()
    mutant_id = f"{subject_id}-m{number}"
    return Mutant(
        mutant_id,
        subject_id,
        "edits",
        "1",
        f"m{number}",
        "op",
        "c",
        "a.py",
        2,
        4,
        "",
        source,
        status,
    )


def plan_of(
    *told: dict[str, Any],
    mutants: int = 4,
    planted: int | None = None,
    settings: Sequence[ExecutionSettings] = (ExecutionSettings(),),
) -> Plan:
    """One subject for each suite that is told what to do; one arm, one replicate."""
    subjects = {f"s{n}": subject_of(f"s{n}", mutants, planted) for n in range(len(told))}
    cells = tuple(
        Cell(f"s{n}/a/0", f"s{n}", "a", 0, suite_of(f"s{n}", text)) for n, text in enumerate(told)
    )
    made = config()
    arms = {arm.name: arm for arm in made.arms}
    return Plan("made-12345678", made, Path(), arms, tuple(settings), subjects, cells)


def suite_of(subject_id: str, told: dict[str, Any]) -> Suite:
    file = SourceFile("test_a.py", json.dumps(told).encode())
    return Suite(f"suite-{subject_id}", subject_id, "a", 0, (file,), ("test_a.py",))


def run(plan: Plan, store: Path, retry: RetryPolicy = QUICK) -> tuple[Board, Resume]:
    """Carry out what the store does not hold of a plan, on the Ray that is running."""
    place = open_store(str(store))
    resume = Resume(read_index(place, plan.experiment_id))
    options = RunOptions(progress=False, retry=retry, run_job=work.measure)
    return asyncio.run(conduct(plan, place, resume, options, Stopping())), resume


class Stored:
    """What a store holds of an experiment."""

    def __init__(self, store: Path, plan: Plan) -> None:
        self.index = read_index(open_store(str(store)), plan.experiment_id)

    def rows(self, table: str) -> list[dict[str, Any]]:
        files = self.index.objects.get(table, [])
        return [row for file in files for row in pq.read_table(file).to_pylist()]

    def matrix(self) -> Counter[tuple[Any, ...]]:
        """How often each entry of any kill matrix is there."""
        keys = (
            "environment",
            "cell_id",
            "suite_id",
            "mutant_id",
            "test_id",
            "outcome",
            "exception",
        )
        return Counter(tuple(row[key] for key in keys) for row in self.rows("executions"))

    def events(self, kind: str) -> list[str]:
        return [row["detail"] for row in self.rows("events") if row["kind"] == kind]


def expected(plan: Plan, without: tuple[str, ...] = ()) -> Counter[tuple[Any, ...]]:
    """The matrix of an undisturbed run, worked out here."""
    found: Counter[tuple[Any, ...]] = Counter()
    for cell in plan.cells:
        told = json.loads(cell.suite.source)
        if cell.cell_id in without:
            continue
        mutants = plan.subjects[cell.subject_id].runnable
        for mutant in work.runnable(told.get("status", "valid"), mutants):
            for name in (settings.environment for settings in plan.environments):
                place = (name, cell.cell_id, cell.suite.suite_id, mutant.mutant_id)
                row = work.row_of(cell.suite, mutant, told.get("tests", 3), name)
                for entry in row.executions:
                    test_id = f"{cell.suite.suite_id}:{entry.ordinal:05d}"
                    found[(*place, test_id, entry.outcome, entry.exception)] += 1
    return found
