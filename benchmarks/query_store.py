"""Makes a store of many executions through the ordinary writer, for the timing of queries."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from storage import rows as make
from storage.call_rows import CallPlace, call_rows
from storage.manifest import new_manifest, write_manifest
from storage.objects import ObjectStore
from storage.units import commit_unit
from tasks.model_records import CallVerdict, Message, ModelRequest, Receipt, Usage
from tasks.records import Mutant, Outcome, SourceFile, Subject, Suite, sha256
from tasks.results import Event, Execution, Row, Test, Validation

EXPERIMENT = "bench-00000000"
UNIT_ROWS = 200_000

Pieces = dict[str, pa.Table]


@dataclass(frozen=True)
class Shape:
    """Suites of one size: how large, and how many for each subject."""

    kind: str
    subjects: int
    arms: int
    tests: int
    mutants: int

    def replicates(self, rows: int) -> int:
        """Replicates that come nearest to a number of executions."""
        return max(1, round(rows / (self.subjects * self.arms * self.tests * self.mutants)))


FUNCTIONS = Shape("function", subjects=100, arms=5, tests=8, mutants=20)
PROJECTS = Shape("project", subjects=10, arms=4, tests=250, mutants=200)


def generate(store: ObjectStore, rows: int, shapes: dict[Shape, float]) -> None:
    """Fill a store; `shapes` gives each shape's share of the rows."""
    draw = random.Random(0)
    cells = sum(s.subjects * s.arms * s.replicates(int(rows * p)) for s, p in shapes.items())
    write_manifest(store, new_manifest(EXPERIMENT, "bench", {}, cells))
    pending: dict[str, list[pa.Table]] = {}
    done: list[str] = []
    waiting = 0
    for shape, share in shapes.items():
        for key, pieces in _work(shape, shape.replicates(int(rows * share)), draw):
            for table, piece in pieces.items():
                pending.setdefault(table, []).append(piece)
            done.append(key)
            waiting += pieces["executions"].num_rows if "executions" in pieces else 0
            if waiting > UNIT_ROWS:
                commit_unit(store, EXPERIMENT, pending, done)
                pending, done, waiting = {}, [], 0
    commit_unit(store, EXPERIMENT, pending, done)


def _work(shape: Shape, replicates: int, draw: random.Random) -> Iterator[tuple[str, Pieces]]:
    for number in range(shape.subjects):
        subject = _subject(shape, number)
        mutants = [_mutant(subject, index, draw) for index in range(shape.mutants)]
        yield (
            f"subject:{subject.subject_id}",
            {
                "subjects": make.subject_rows(EXPERIMENT, subject),
                "mutants": make.mutant_rows(EXPERIMENT, mutants),
            },
        )
        matrix = _Matrix(shape, mutants, draw)
        for arm in range(shape.arms):
            for replicate in range(replicates):
                yield _cell(subject, f"arm_{arm}", replicate, matrix)


def _subject(shape: Shape, number: int) -> Subject:
    name = f"{shape.kind}_{number}"
    return Subject(
        subject_id=f"subject-{sha256(name.encode())[:16]}",
        name=name,
        kind="function" if shape.kind == "function" else "project",
        files=(SourceFile("solution.py", name.encode()),),
        targets=("solution.py",),
        family=f"family_{number % 8}",
    )


def _mutant(subject: Subject, index: int, draw: random.Random) -> Mutant:
    name = f"x_solve__mutmut_{index}"
    diff = f"--- solution.py\n+++ solution.py\n@@\n-    return {index}\n+    return {index + 1}\n"
    return Mutant(
        mutant_id=f"mutant-{sha256((subject.subject_id + name).encode())[:16]}",
        subject_id=subject.subject_id,
        engine="mutmut",
        engine_version="3.8.1",
        name=name,
        operator=draw.choice(["number", "comparison", "keyword", "operator_swap", "string"]),
        category="",
        path="solution.py",
        line=index,
        column=4,
        diff=diff,
        source=diff.encode(),
        planted=index == 0,
    )


class _Matrix:
    """Draws rows of suites. Suites share their entries: there are to be millions of rows."""

    def __init__(self, shape: Shape, mutants: list[Mutant], draw: random.Random) -> None:
        self.shape, self.mutants, self.draw = shape, mutants, draw
        self.pool = [[self._entry(test) for _ in range(50)] for test in range(shape.tests)]

    def rows(self) -> list[Row]:
        choose = self.draw.choice
        return [
            Row(mutant.mutant_id, "swap", tuple(choose(pool) for pool in self.pool))
            for mutant in self.mutants
        ]

    def _entry(self, ordinal: int) -> Execution:
        kind = self.draw.choices(
            ["passed", "away", "failed", "error", "timeout", "crashed"], [50, 30, 15, 2, 2, 1]
        )[0]
        seconds = self.draw.uniform(0.0003, 0.02)
        if kind in ("passed", "away"):
            return Execution(ordinal, "passed", kind == "passed", seconds, "", "")
        message = f"assert {self.draw.randrange(10**6)} == {self.draw.randrange(10**6)}"
        return Execution(ordinal, kind, True, seconds, "AssertionError", message)


def _cell(subject: Subject, arm: str, replicate: int, matrix: _Matrix) -> tuple[str, Pieces]:
    digest = sha256(f"{subject.subject_id} {arm} {replicate}".encode())[:16]
    cell_id, suite_id = f"cell-{digest}", f"suite-{digest}"
    draw = matrix.draw
    valid = draw.random() < 0.95
    source = b"import solution\n\n\ndef test_it():\n    assert solution.solve() == 1\n" * 20
    suite = Suite(
        suite_id,
        subject.subject_id,
        arm,
        replicate,
        (SourceFile("test_solution.py", source + digest.encode()),),
        ("test_solution.py",),
        origin="model",
        model=f"local/model-{arm}",
        condition="spec_only",
        flags=("import_added",) if draw.random() < 0.1 else (),
    )
    tests = tuple(_test(suite_id, ordinal, valid, draw) for ordinal in range(matrix.shape.tests))
    validation = Validation(
        suite_id, "valid" if valid else "no_kept_tests", "" if valid else "none passes", tests
    )
    about = (cell_id, subject.subject_id, arm)
    calls = call_rows(EXPERIMENT, list(_attempts(CallPlace(*about, "spec_only", replicate), draw)))
    if draw.random() < 0.02:
        cut = make.CellState(*about, replicate, "", "done", "length", "no_suite")
        return f"cell:{cell_id}", {"cells": make.cell_rows(EXPERIMENT, [cut]), "calls": calls}
    state = make.CellState(*about, replicate, suite_id, "done", "", validation.status)
    pieces = {
        "cells": make.cell_rows(EXPERIMENT, [state]),
        "calls": calls,
        "suites": make.suite_rows(EXPERIMENT, cell_id, suite, validation),
        "validations": make.validation_rows(
            EXPERIMENT, cell_id, suite, validation, "default", True
        ),
        "tests": make.test_rows(EXPERIMENT, cell_id, suite, validation, "default"),
    }
    rows = [row for row in matrix.rows() if valid or row.mutant_id == matrix.mutants[0].mutant_id]
    pieces["executions"] = make.execution_rows(
        EXPERIMENT, cell_id, suite, validation, "default", rows
    )
    if draw.random() < 0.01:
        event = Event(1.8e9 + replicate, "attempt_lost", "node went away")
        pieces["events"] = make.event_rows(EXPERIMENT, [event], subject.subject_id, cell_id)
    return f"cell:{cell_id}", pieces


def _test(suite_id: str, ordinal: int, valid: bool, draw: random.Random) -> Test:
    kept = valid and (ordinal == 0 or draw.random() < 0.95)
    outcomes: tuple[Outcome, ...] = ("passed", "passed") if kept else ("failed", "failed")
    return Test(
        f"{suite_id}:{ordinal:05d}",
        suite_id,
        ordinal,
        f"test_solution.py::test_case[{ordinal}]",
        kept,
        "" if kept else "wrong_oracle",
        outcomes,
        draw.uniform(0.0003, 0.02),
        0.001,
        ("solve",),
        uses_hypothesis=ordinal % 8 == 3,
        exception="" if kept else "AssertionError",
        message="" if kept else f"assert {ordinal} == {draw.randrange(9)} [test_solution.py:7]",
    )


def _attempts(place: CallPlace, draw: random.Random) -> Iterator[tuple[CallPlace, Receipt]]:
    """A call that is tried again once in ten times; its last attempt mostly stops."""
    request = ModelRequest(
        "local",
        f"model-{place.arm}",
        (Message("user", f"write tests for {place.subject_id}"),),
        800,
    )
    last: CallVerdict = draw.choices(("stop", "length", "refused"), (95, 4, 1))[0]
    verdicts: tuple[CallVerdict, ...] = ("error", last) if draw.random() < 0.1 else (last,)
    for number, verdict in enumerate(verdicts, 1):
        seconds = draw.uniform(1, 60)
        yield (
            place,
            Receipt(
                call_id=f"{place.cell_id}/0",
                attempt=number,
                request=request,
                parameters='{"max_tokens": 800}',
                verdict=verdict,
                reply=f"reply {draw.random()}" * 20,
                raw=b"{}",
                http_status=503 if verdict == "error" else 200,
                finish=verdict,
                usage=Usage(900, draw.randrange(800)),
                cost_usd=draw.uniform(0, 0.02),
                started_at=1.8e9,
                ended_at=1.8e9 + seconds,
            ),
        )
