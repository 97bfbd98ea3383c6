"""One suite of a cell under one environment, and how work for it is submitted and stored."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cluster.batches import UnitWriter
from cluster.board import Board
from cluster.calling import Calling
from cluster.commits import Commit, Step, SuiteRecord
from cluster.ledger import Account, GaveUp, RetryPolicy, attempt
from cluster.plan import Cell, Plan
from cluster.resume import Resume, Tally
from cluster.shipping import Shipping
from cluster.sizes import limit_seconds, row_seconds
from cluster.slots import Slots
from cluster.standing import Standing
from tasks.records import ExecutionSettings, Suite
from tasks.results import Event, JobResult, Row, Validation


@dataclass(frozen=True)
class Run:
    """What all cells of a run share; the slots bound tasks in flight and cells in progress."""

    plan: Plan
    resume: Resume
    writer: UnitWriter
    shipping: Shipping
    tasks: Slots
    cells: Slots
    retry: RetryPolicy
    board: Board
    calling: Calling | None = None
    standing: Standing = field(default_factory=Standing)

    @property
    def idle_cpus(self) -> int:
        """CPUs for which there is no task, neither at work nor waiting."""
        return max(0, self.board.cpus - self.tasks.asked)

    async def commit(self, commit: Commit, rows: int = 0) -> None:
        """Hand over finished work; `rows` are the mutants that it finishes."""
        await self.writer.add(*commit)
        self.board.rows_done += rows
        if "executions" in commit[0]:
            self.board.executions += commit[0]["executions"].num_rows


class CellLog:
    """The steps of a cell so far, for its tally and for the events of one that is given up."""

    def __init__(self, cell: Cell, board: Board) -> None:
        self.steps: list[Step] = []
        self._cell = cell
        self._board = board

    def step(self, name: str) -> Step:
        step = Step(Account(name, heard=self._heard))
        self.steps.append(step)
        return step

    @property
    def tally(self) -> Tally:
        return sum((step.tally for step in self.steps), Tally())

    @property
    def unstored(self) -> list[Event]:
        return [event for step in self.steps if not step.stored for event in step.all_events]

    def _heard(self, event: Event) -> None:
        self._board.failed += 1
        self._board.note = f"{self._cell.cell_id}: {event.detail.splitlines()[0]}"


class SuiteWork:
    """Tasks for one suite under one environment's settings."""

    def __init__(
        self, cell: Cell, suite: Suite, settings: ExecutionSettings, run: Run, log: CellLog
    ) -> None:
        self.cell = cell
        self.suite = suite
        self.settings = settings
        self.run = run
        self.log = log
        self.record = SuiteRecord(run.plan.experiment_id, cell, suite, settings.environment)

    async def task(
        self,
        step: Step,
        chosen: tuple[int, ...],
        validation: Validation | None,
        shared: Any,
        budget_s: float,
    ) -> JobResult:
        """One task, as often as the ledger allows; `shared` is the validation as it travels."""
        run = self.run
        order = (self.cell, self.suite, self.settings, chosen, shared, budget_s)
        submit = run.shipping.submitter(*order)
        limit_s = limit_seconds(self.settings, validation, budget_s)
        # What is begun goes before what is not, the longest first: small work fills up the end.
        seconds = len(chosen) * row_seconds(validation, ()) if validation else 0.0
        async with run.tasks.ahead(seconds):
            result: JobResult = await attempt(
                step.account, submit, limit_s, run.retry, run.standing
            )
        return result

    def validation(self, result: JobResult, step: Step) -> Validation:
        """What a task that was given no validation has brought; GaveUp where it brought none."""
        if result.validation is None:
            raise GaveUp("the task brought no validation", step.account.begun)
        return result.validation

    def sound(self, rows: Sequence[Row], validation: Validation, step: Step) -> list[Row]:
        """Rows that are complete; one that is not is as lost as one that never came."""
        if self.settings.matrix != "full":
            return list(rows)
        sound = [row for row in rows if len(row.executions) == len(validation.tests)]
        if len(sound) < len(rows):
            detail = f"{step.account.step}: {len(rows) - len(sound)} rows lack outcomes"
            step.events.append(Event(time.time(), "short_row", detail))
        return sound
