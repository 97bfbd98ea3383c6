"""What is stored of a cell at each step: the tables, the done keys, and the facts for a resume."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from cluster.ledger import Account
from cluster.plan import Cell, Plan
from cluster.resume import Layout, Tally, cell_key, layout_fact, missing_key, validated_key
from storage.rows import CellState, cell_rows, event_rows, execution_rows, suite_rows, test_rows
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

    @property
    def all_events(self) -> list[Event]:
        return sorted([*self.events, *self.account.events])

    @property
    def tally(self) -> Tally:
        differing = sum(event.kind == "disagreement" for event in self.events)
        return Tally(self.cpu_s, self.wall_s, self.account.ended.total(), differing)


class CellRecord:
    """One cell's results as tables of the store, with their done keys and facts."""

    def __init__(self, plan: Plan, cell: Cell) -> None:
        self._cell = cell
        self._id = plan.experiment_id
        self._environment = plan.settings.environment

    def whole(self, validation: Validation, step: Step) -> Commit:
        """A cell that one task finished."""
        key = cell_key(self._cell.cell_id)
        state = self._state("done", validation.reason, validation.status, step.tally)
        tables = self._suite(validation) | self._rows(step) | {"cells": state}
        facts = {key: {"tally": asdict(step.tally)}} if step.tally.disagreements else {}
        return tables, [key], facts

    def layout(self, layout: Layout, step: Step) -> Commit:
        """A validated suite, its shards to come, and the rows that validation had time for."""
        key = validated_key(self._cell.cell_id)
        tables = self._suite(layout.validation) | self._rows(step)
        return tables, [key], {key: layout_fact(layout, step.tally)}

    def shard(self, key: str, step: Step) -> Commit:
        """The rows of one shard."""
        return self._rows(step), [key], {key: {"tally": asdict(step.tally)}}

    def end(self, validation: Validation, tally: Tally) -> Commit:
        """The cell after its last shard."""
        state = self._state("done", validation.reason, validation.status, tally)
        return {"cells": state}, [cell_key(self._cell.cell_id)], {}

    def missing(self, reason: str, steps: Sequence[Step], known: bool) -> Commit:
        """A cell that was given up; one that is `known` to be missing has its row already."""
        events = [event for step in steps if not step.stored for event in step.all_events]
        events.append(Event(time.time(), "cell_missing", reason))
        tables = {"events": self._events(events)}
        if not known:
            tally = sum((step.tally for step in steps), Tally())
            tables["cells"] = self._state("missing", reason, "", tally)
        return tables, [], {missing_key(self._cell.cell_id): {"reason": reason}}

    def _suite(self, validation: Validation) -> dict[str, pa.Table]:
        cell = self._cell
        return {
            "suites": suite_rows(self._id, cell.cell_id, cell.suite, validation),
            "tests": test_rows(self._id, cell.cell_id, cell.suite, validation, self._environment),
        }

    def _rows(self, step: Step) -> dict[str, pa.Table]:
        cell = self._cell
        step.stored = True
        rows = execution_rows(self._id, cell.cell_id, cell.suite, step.rows, self._environment)
        return {"executions": rows, "events": self._events(step.all_events)}

    def _events(self, events: Sequence[Event]) -> pa.Table:
        cell = self._cell
        return event_rows(self._id, events, cell.subject_id, cell.cell_id, cell.suite.suite_id)

    def _state(
        self, status: Literal["done", "missing"], reason: str, verdict: str, tally: Tally
    ) -> pa.Table:
        cell = self._cell
        state = CellState(
            cell_id=cell.cell_id,
            subject_id=cell.subject_id,
            arm=cell.arm,
            replicate=cell.replicate,
            suite_id=cell.suite.suite_id,
            status=status,
            reason=reason,
            verdict=verdict,
            attempts=1 + tally.failed,
            cpu_s=tally.cpu_s,
            wall_s=tally.wall_s,
        )
        return cell_rows(self._id, [state])
