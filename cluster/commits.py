"""What is stored of a cell at each step: the tables, the done keys, and the facts for a resume."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from cluster.keys import candidate_key, cell_key, matrix_key, missing_key, validated_key
from cluster.ledger import Account
from cluster.plan import Cell
from cluster.resume import Layout, Tally, layout_fact
from storage.rows import (
    CellState,
    cell_rows,
    event_rows,
    execution_rows,
    suite_rows,
    test_rows,
    validation_rows,
)
from tasks.records import Suite
from tasks.results import Event, JobResult, Row, Validation

if TYPE_CHECKING:
    import pyarrow as pa

Commit = tuple[dict[str, "pa.Table"], list[str], dict[str, Any]]


@dataclass
class Step:
    """One step of a cell as it goes: its account, and what its tasks have brought so far."""

    account: Account
    rows: list[Row] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    cpu_s: float = 0.0
    wall_s: float = 0.0
    stored: bool = False

    def take(self, result: JobResult, rows: Sequence[Row]) -> None:
        self.rows += rows
        self.events += result.events
        self.cpu_s += result.cpu_s
        self.wall_s += result.wall_s

    def forget(self) -> None:
        """Keep no rows that are handed over: a cell of many shards would hold its whole matrix."""
        self.rows = []

    @property
    def all_events(self) -> list[Event]:
        return sorted([*self.events, *self.account.events])

    @property
    def tally(self) -> Tally:
        differing = sum(event.kind == "disagreement" for event in self.events)
        return Tally(self.cpu_s, self.wall_s, self.account.ended.total(), differing)


class SuiteRecord:
    """What running one suite of a cell in one environment brings, as tables with their keys."""

    def __init__(self, experiment_id: str, cell: Cell, suite: Suite, environment: str) -> None:
        self._id = experiment_id
        self._cell_id = cell.cell_id
        self._suite = suite
        self._environment = environment

    def candidate(self, validation: Validation, step: Step) -> Commit:
        """A suite of a model that is validated before it is known whether it will count."""
        key = candidate_key(self._cell_id, self._suite.draw, self._suite.round)
        fact = {"validation": asdict(validation), "tally": asdict(step.tally)}
        tables = self.validation(validation, primary=True) | self._rows(validation, step)
        return tables, [key], {key: fact}

    def whole(self, validation: Validation, step: Step, primary: bool, known: bool) -> Commit:
        """A matrix that one task filled; the tables of a suite that is `known` are stored."""
        tables = {} if known else self.validation(validation, primary)
        keys, facts = self._ended(validation, step.tally)
        facts[keys[0]]["tally"] = asdict(step.tally)
        return tables | self._rows(validation, step), keys, facts

    def layout(self, layout: Layout, step: Step, primary: bool, known: bool) -> Commit:
        """A validated suite, its shards to come, and the rows that validation had time for."""
        key = validated_key(self._cell_id, self._environment)
        tables = {} if known else self.validation(layout.validation, primary)
        rows = self._rows(layout.validation, step)
        return tables | rows, [key], {key: layout_fact(layout, step.tally)}

    def shard(self, key: str, validation: Validation, step: Step) -> Commit:
        """The rows of one shard."""
        return self._rows(validation, step), [key], {key: {"tally": asdict(step.tally)}}

    def end(self, validation: Validation, total: Tally) -> Commit:
        """The matrix after its last shard; what it took is booked with its parts."""
        return {}, *self._ended(validation, total)

    def validation(self, validation: Validation, primary: bool) -> dict[str, pa.Table]:
        """The suite itself, once, and what this environment made of it."""
        place = (self._id, self._cell_id, self._suite, validation)
        tables = {
            "validations": validation_rows(*place, self._environment, primary),
            "tests": test_rows(*place, self._environment),
        }
        return tables | ({"suites": suite_rows(*place)} if primary else {})

    def _ended(
        self, validation: Validation, total: Tally
    ) -> tuple[list[str], dict[str, dict[str, Any]]]:
        key = matrix_key(self._cell_id, self._environment)
        fact = {"status": validation.status, "reason": validation.reason, "total": asdict(total)}
        return [key], {key: fact}

    def _rows(self, validation: Validation, step: Step) -> dict[str, pa.Table]:
        step.stored = True
        suite = self._suite
        place = (self._id, self._cell_id, suite, validation, self._environment)
        rows = execution_rows(*place, step.rows)
        events = event_rows(
            self._id, step.all_events, suite.subject_id, self._cell_id, suite.suite_id
        )
        return {"executions": rows, "events": events}


@dataclass(frozen=True)
class Ending:
    """How a cell ended: `suite_id` is the suite that counts, empty where there is none."""

    status: Literal["done", "missing"]
    verdict: str = ""
    reason: str = ""
    suite_id: str = ""
    tally: Tally = field(default_factory=Tally)
    cost_usd: float | None = None


def cell_end(experiment_id: str, cell: Cell, ending: Ending) -> Commit:
    """A cell that is finished, as its last step."""
    state = _state(experiment_id, cell, ending)
    return {"cells": state}, [cell_key(cell.cell_id)], {}


def cell_missing(
    experiment_id: str, cell: Cell, ending: Ending, events: Sequence[Event], known: bool
) -> Commit:
    """A cell that was given up; one that is `known` to be missing has its row already."""
    told = [*events, Event(time.time(), "cell_missing", ending.reason)]
    tables = {
        "events": event_rows(experiment_id, told, cell.subject_id, cell.cell_id, ending.suite_id)
    }
    if not known:
        tables["cells"] = _state(experiment_id, cell, ending)
    return tables, [], {missing_key(cell.cell_id): {"reason": ending.reason}}


def _state(experiment_id: str, cell: Cell, ending: Ending) -> pa.Table:
    state = CellState(
        cell_id=cell.cell_id,
        subject_id=cell.subject_id,
        arm=cell.arm,
        replicate=cell.replicate,
        suite_id=ending.suite_id,
        status=ending.status,
        reason=ending.reason,
        verdict=ending.verdict,
        attempts=1 + ending.tally.failed,
        cost_usd=ending.cost_usd,
        cpu_s=ending.tally.cpu_s,
        wall_s=ending.tally.wall_s,
    )
    return cell_rows(experiment_id, [state])
