"""Small experiments made from records and stored by the real writer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from storage import rows as make
from storage.database import Database, connect
from storage.manifest import new_manifest, write_manifest
from storage.objects import ObjectStore, open_store
from storage.reports import run_report
from storage.units import commit_unit
from tasks.records import Mutant, Outcome, SourceFile, Subject, Suite
from tasks.results import Event, Execution, Row, SuiteStatus, Test, Validation

EXPERIMENT = "exp-00000000"

# One character a test in a row of the matrix; "-" is a test that does not reach the mutated code.
MARKS: Mapping[str, tuple[str, bool]] = {
    ".": ("passed", True),
    "-": ("passed", False),
    "F": ("failed", True),
    "E": ("error", True),
    "T": ("timeout", True),
    "C": ("crashed", True),
    "s": ("skipped", True),
    "n": ("not_collected", True),
    "f": ("failed", False),
}
# One character a test of a suite: why it is not kept, and what its baselines gave.
KINDS: Mapping[str, tuple[str, tuple[Outcome, ...]]] = {
    "k": ("", ("passed", "passed")),
    "w": ("wrong_oracle", ("failed", "failed")),
    "y": ("flaky", ("passed", "failed")),
    "c": ("fails_control", ("passed", "passed")),
    "s": ("skipped", ("skipped", "skipped")),
}


def subject(name: str = "alpha", family: str = "", split: str = "") -> Subject:
    files = (SourceFile("solution.py", name.encode()),)
    return Subject(
        f"subject-{name}", name, "function", files, ("solution.py",), family=family, split=split
    )


def mutant(of: Subject, name: str, **changes: Any) -> Mutant:
    fields: dict[str, Any] = {
        "mutant_id": f"mutant-{of.name}-{name}",
        "subject_id": of.subject_id,
        "engine": "variants",
        "engine_version": "1",
        "name": name,
        "operator": "number",
        "category": "constant",
        "path": "solution.py",
        "line": 3,
        "column": 4,
        "diff": f"-    return 1\n+    return {name}\n",
        "source": name.encode(),
    }
    return Mutant(**(fields | changes))


def suite(of: Subject, arm: str, replicate: int = 0, **changes: Any) -> Suite:
    files = (SourceFile("test_it.py", b"def test_it(): pass\n"),)
    name = f"suite-{of.name}-{arm}-{replicate}"
    return Suite(name, of.subject_id, arm, replicate, files, ("test_it.py",), **changes)


def validation(
    of: Suite, kinds: str, status: SuiteStatus = "valid", reason: str = "", raised: str = ""
) -> Validation:
    """What validation made of a suite; upper case tests use Hypothesis."""
    tests = []
    for ordinal, kind in enumerate(kinds):
        dropped, outcomes = KINDS[kind.lower()]
        tests.append(
            Test(
                test_id=f"{of.suite_id}:{ordinal:05d}",
                suite_id=of.suite_id,
                ordinal=ordinal,
                nodeid=f"test_it.py::test_{ordinal}",
                kept=not dropped,
                dropped_reason=dropped,
                baseline_outcomes=outcomes,
                duration_s=0.25 * (ordinal + 1),
                cpu_s=0.125,
                executed=("solution.py::solve",),
                uses_hypothesis=kind.isupper(),
                exception="AssertionError" if dropped == "wrong_oracle" else "",
                message=raised if dropped == "wrong_oracle" else "",
            )
        )
    return Validation(of.suite_id, status, reason, tuple(tests), 0.5)


def matrix_row(mutant_id: str, marks: str, seconds: float = 0.5) -> Row:
    """A row of the matrix; tests that do not reach the code take no time."""
    entries = []
    for ordinal, mark in enumerate(marks):
        outcome, executed = MARKS[mark]
        name = "AssertionError" if outcome == "failed" else ""
        entries.append(
            Execution(
                ordinal, outcome, executed, seconds if executed else 0.0, name, name and "1 == 2"
            )
        )
    return Row(mutant_id, "swap", tuple(entries))


# What another environment made of a suite: kinds of its tests, matrix, status.
Place = tuple[str, Mapping[str, str], SuiteStatus]


@dataclass
class Lab:
    """An experiment in the making. Every call is committed as a unit of its own."""

    root: Path
    experiment_id: str = EXPERIMENT
    cells: int = 0
    store: ObjectStore = field(init=False)
    units: int = 0

    def __post_init__(self) -> None:
        self.store = open_store(str(self.root))

    def manifest(self, cells: int | None = None) -> None:
        planned = self.cells if cells is None else cells
        write_manifest(self.store, new_manifest(self.experiment_id, "exp", {"seed": 1}, planned))

    def commit(self, done: Sequence[str] = (), **tables: Any) -> None:
        self.units += 1
        keys = list(done) or [f"unit:{self.units}"]
        commit_unit(self.store, self.experiment_id, {n: [t] for n, t in tables.items()}, keys)

    def subject(self, of: Subject, mutants: Sequence[Mutant]) -> None:
        self.commit(
            [f"subject:{of.subject_id}"],
            subjects=make.subject_rows(self.experiment_id, of),
            mutants=make.mutant_rows(self.experiment_id, mutants),
        )

    def cell(
        self,
        of: Subject,
        arm: str,
        kinds: str = "k",
        matrix: Mapping[str, str] | None = None,
        *,
        status: SuiteStatus = "valid",
        reason: str = "",
        raised: str = "",
        replicate: int = 0,
        state: Literal["done", "missing"] = "done",
        attempts: int = 1,
        elsewhere: Mapping[str, Place] | None = None,
        **suite_fields: Any,
    ) -> Suite:
        """A cell with its suite and, by the mutants' names, the rows of its matrix.

        `elsewhere` has what other environments than the primary one, `default`, made of it.
        """
        made = suite(of, arm, replicate, **suite_fields)
        cell_id = f"cell-{of.name}-{arm}-{replicate}"
        found = validation(made, kinds, status, reason, raised)
        ended = make.CellState(
            cell_id,
            of.subject_id,
            arm,
            replicate,
            made.suite_id,
            state,
            reason,
            attempts=attempts,
        )
        self.cells += 1
        self.commit(
            [f"cell:{cell_id}:{attempts}"],
            suites=make.suite_rows(self.experiment_id, cell_id, made, found),
            cells=make.cell_rows(self.experiment_id, [ended]),
        )
        self.place(of, made, cell_id, "default", found, matrix or {})
        for name, (other_kinds, other_matrix, other_status) in (elsewhere or {}).items():
            other = validation(made, other_kinds, other_status)
            self.place(of, made, cell_id, name, other, other_matrix)
        return made

    def place(
        self,
        of: Subject,
        made: Suite,
        cell_id: str,
        environment: str,
        found: Validation,
        matrix: Mapping[str, str],
    ) -> None:
        """What one environment made of a suite."""
        rows = [matrix_row(f"mutant-{of.name}-{name}", marks) for name, marks in matrix.items()]
        about = (self.experiment_id, cell_id, made)
        self.commit(
            validations=make.validation_rows(*about, found, environment, environment == "default"),
            tests=make.test_rows(*about, found, environment),
            executions=make.execution_rows(*about, found, environment, rows),
        )

    def no_suite(self, of: Subject, arm: str, reason: str, replicate: int = 0) -> None:
        """A finished cell that gave no suite."""
        cell_id = f"cell-{of.name}-{arm}-{replicate}"
        self.cells += 1
        ended = make.CellState(
            cell_id, of.subject_id, arm, replicate, "", "done", reason, "no_suite"
        )
        self.commit([f"cell:{cell_id}"], cells=make.cell_rows(self.experiment_id, [ended]))

    def event(
        self, kind: str, detail: str = "", at: float = 1.8e9, of: Subject | None = None
    ) -> None:
        subject_id = of.subject_id if of else ""
        rows = make.event_rows(self.experiment_id, [Event(at, kind, detail)], subject_id)
        self.commit(events=rows)

    def connect(self, **options: Any) -> Database:
        self.manifest()
        return connect(str(self.root), **options)

    def ask(self, report: str, **params: str) -> list[dict[str, Any]]:
        """The rows of a report."""
        with self.connect() as database:
            return run_report(database, report, params).rows()

    def sql(self, text: str) -> list[dict[str, Any]]:
        with self.connect() as database:
            return database.query(text).rows()
