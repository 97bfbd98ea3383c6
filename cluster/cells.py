"""The protocol that one cell carries out: write, validate, execute, commit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cluster.batches import UnitWriter
from cluster.board import Board
from cluster.commits import CellRecord, Commit, Step
from cluster.ledger import Account, GaveUp, RetryPolicy, attempt
from cluster.plan import Cell, Plan
from cluster.resume import Layout, Resume, cell_key, shard_key, validated_key
from cluster.shipping import Shipping
from cluster.sizes import (
    FIRST_BUDGET_S,
    LONGER,
    SHARD_BUDGET_S,
    first_sample,
    limit_seconds,
    row_seconds,
    setup_seconds,
    shards_of,
)
from cluster.slots import Slots
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


async def carry_out(cell: Cell, run: Run) -> None:
    """A cell from its suite to its stored matrix. What is stored already is not done again."""
    work = _CellWork(cell, run)
    try:
        layout = run.resume.layout(cell.cell_id) or await work.validate()
        if layout is not None:
            await work.execute(layout)
        run.board.cells_done += 1
    except GaveUp as lost:
        await work.give_up(lost.reason)
        run.board.cells_missing += 1
    finally:
        run.shipping.release(cell)


class _CellWork:
    def __init__(self, cell: Cell, run: Run) -> None:
        self._cell = cell
        self._run = run
        self._record = CellRecord(run.plan, cell)
        self._mutants = run.plan.subjects[cell.subject_id].runnable
        self._steps: list[Step] = []

    async def validate(self) -> Layout | None:
        """Baselines and controls, and rows while the budget lasts: one task.

        Most cells are finished with it and committed whole. A layout of shards for the others.
        """
        step = self._step("validate")
        chosen = first_sample(len(self._mutants), self._mutant_bytes)
        result = await self._task(step, chosen, None, None, FIRST_BUDGET_S)
        validation = result.validation
        if validation is None:
            raise GaveUp("the task brought no validation", step.account.begun)
        step.take(result, self._sound(result.rows, validation, step))
        left = self._left(range(len(self._mutants)), step.rows)
        if validation.status != "valid" or not left:
            await self._commit(self._record.whole(validation, step), len(self._mutants))
            return None
        row_s, setup_s = row_seconds(validation, step.rows), setup_seconds(step.wall_s, step.rows)
        shards = shards_of(left, row_s, setup_s, self._run.board.cpus, self._mutant_bytes)
        layout = Layout(validation, shards, setup_s)
        await self._commit(self._record.layout(layout, step), len(step.rows))
        await self._run.writer.durable()
        return layout

    async def execute(self, layout: Layout) -> None:
        """All shards that are not stored yet, side by side; one that is given up stops no other."""
        shared = self._run.shipping.ship(layout.validation)
        count = len(layout.shards)
        keys = [shard_key(self._cell.cell_id, n + 1, count) for n in range(count)]
        stored = [key for key in keys if self._run.resume.done(key)]
        before = self._run.resume.tally([validated_key(self._cell.cell_id), *stored])
        jobs = [
            self._shard(key, chosen, layout, shared)
            for key, chosen in zip(keys, layout.shards, strict=True)
            if key not in stored
        ]
        ended = await asyncio.gather(*jobs, return_exceptions=True)
        errors = [error for error in ended if error is not None]
        for error in sorted(errors, key=lambda each: isinstance(each, GaveUp)):
            raise error
        steps = [step.tally for step in self._steps if step.account.step != "validate"]
        await self._commit(self._record.end(layout.validation, sum(steps, before)), 0)

    async def give_up(self, reason: str) -> None:
        """The cell is missing: said so in the store, never scored, tried again by the next run."""
        known = self._cell.cell_id in self._run.resume.missing()
        await self._commit(self._record.missing(reason, self._steps, known), 0)

    # -- steps

    async def _shard(self, key: str, chosen: tuple[int, ...], layout: Layout, shared: Any) -> None:
        """One shard, asked for again until all rows are there; only rounds without one count."""
        step = self._step(key.removeprefix(f"{cell_key(self._cell.cell_id)}:"))
        left, idle, budget_s = chosen, 0, SHARD_BUDGET_S + layout.setup_s
        while left and idle < self._run.retry.infra:
            result = await self._task(step, left, layout.validation, shared, budget_s)
            rows = self._sound(result.rows, layout.validation, step)
            step.take(result, rows)
            left = self._left(left, rows)
            if not rows:
                idle, budget_s = idle + 1, budget_s * LONGER
        if left:
            names = ", ".join(self._mutants[position].mutant_id for position in left[:3])
            raise GaveUp(f"no row for {len(left)} mutants: {names}", step.account.begun)
        await self._commit(self._record.shard(key, step), len(step.rows))

    async def _task(
        self,
        step: Step,
        chosen: tuple[int, ...],
        validation: Validation | None,
        shared: Any,
        budget_s: float,
    ) -> JobResult:
        run = self._run
        submit = run.shipping.submitter(self._cell, chosen, shared, budget_s)
        limit_s = limit_seconds(run.plan.settings, validation, budget_s)
        async with run.tasks:
            result: JobResult = await attempt(step.account, submit, limit_s, run.retry)
        return result

    async def _commit(self, commit: Commit, rows: int) -> None:
        await self._run.writer.add(*commit)
        self._run.board.rows_done += rows
        if "executions" in commit[0]:
            self._run.board.executions += commit[0]["executions"].num_rows

    def _step(self, name: str) -> Step:
        step = Step(Account(name, heard=self._heard))
        self._steps.append(step)
        return step

    def _heard(self, event: Event) -> None:
        self._run.board.failed += 1
        self._run.board.note = f"{self._cell.cell_id}: {event.detail.splitlines()[0]}"

    def _sound(self, rows: Sequence[Row], validation: Validation, step: Step) -> list[Row]:
        """Rows that are complete; one that is not is as lost as one that never came."""
        if self._run.plan.settings.matrix != "full":
            return list(rows)
        sound = [row for row in rows if len(row.executions) == len(validation.tests)]
        if len(sound) < len(rows):
            detail = f"{step.account.step}: {len(rows) - len(sound)} rows lack outcomes"
            step.events.append(Event(time.time(), "short_row", detail))
        return sound

    def _left(self, chosen: Sequence[int], rows: Sequence[Row]) -> tuple[int, ...]:
        there = {row.mutant_id for row in rows}
        return tuple(n for n in chosen if self._mutants[n].mutant_id not in there)

    @property
    def _mutant_bytes(self) -> int:
        return len(self._mutants[0].source) if self._mutants else 0
