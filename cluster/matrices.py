"""The kill matrix of one suite in one environment: validated, filled, stored, taken up again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from cluster.keys import matrix_key, shard_key, validated_key
from cluster.ledger import GaveUp
from cluster.resume import Layout, Tally
from cluster.sizes import (
    FIRST_BUDGET_S,
    LONGER,
    SHARD_BUDGET_S,
    first_sample,
    row_seconds,
    setup_seconds,
    shards_of,
)
from cluster.work import SuiteWork
from tasks.results import Row, Validation


@dataclass(frozen=True)
class Filled:
    """A stored matrix: what validation said of its suite, and what all of it took."""

    status: str
    reason: str
    tally: Tally


class Matrix:
    """Fills the matrix of a suite; `known` is its validation where that is stored already.

    The matrix of the `primary` environment stores the suite too.
    """

    def __init__(self, work: SuiteWork, primary: bool, known: Validation | None = None) -> None:
        self._work = work
        self._primary = primary
        self._known = known
        planned = work.run.plan.subjects[work.cell.subject_id]
        self._mutants = planned.runnable
        self._bytes = len(self._mutants[0].source) if self._mutants else 0
        self._key = (work.cell.cell_id, work.settings.environment)

    async def fill(self) -> Filled:
        """Do what is not stored yet of it. GaveUp when some of it is not to be had."""
        resume = self._work.run.resume
        stored = resume.fact(matrix_key(*self._key))
        if stored is not None:
            return Filled(stored["status"], stored["reason"], Tally(**stored["total"]))
        layout = resume.layout(*self._key)
        if layout is None:
            return await self._begin()
        return await self._shards(layout)

    async def _begin(self) -> Filled:
        """Validate, and fill rows while the budget lasts: one task finishes most suites."""
        work, known = self._work, self._known
        step = work.log.step("validate" if known is None else "execute")
        chosen = self._first(known)
        validation = known
        if chosen or known is None:
            shared = work.run.shipping.ship(known) if known else None
            result = await work.task(step, chosen, known, shared, FIRST_BUDGET_S)
            validation = known or work.validation(result, step)
            step.take(result, work.sound(result.rows, validation, step))
        assert validation is not None
        left = self._left(self._wanted(validation), step.rows)
        stored = known is not None
        if not left:
            commit = work.record.whole(validation, step, self._primary, stored)
            await work.run.commit(commit, len(self._mutants))
            return Filled(validation.status, validation.reason, step.tally)
        runs = 0 if known else work.settings.baseline_runs
        setup_s = setup_seconds(step.wall_s, step.rows, runs * validation.baseline_s)
        row_s = row_seconds(validation, step.rows)
        shards = shards_of(left, row_s, setup_s, work.run.idle_cpus, self._bytes)
        layout = Layout(validation, shards, setup_s)
        commit = work.record.layout(layout, step, self._primary, stored)
        await work.run.commit(commit, len(step.rows))
        step.forget()
        await work.run.writer.durable()
        return await self._shards(layout, step.tally)

    async def _shards(self, layout: Layout, begun: Tally | None = None) -> Filled:
        """All shards that are not stored yet, side by side; one that is given up stops no other."""
        work, count = self._work, len(layout.shards)
        keys = [shard_key(*self._key, number + 1, count) for number in range(count)]
        stored = [key for key in keys if work.run.resume.done(key)]
        before = work.run.resume.tally(stored)
        before += work.run.resume.tally([validated_key(*self._key)]) if begun is None else begun
        shared = work.run.shipping.ship(layout.validation)
        jobs = [
            self._shard(key, chosen, layout, shared)
            for key, chosen in zip(keys, layout.shards, strict=True)
            if key not in stored
        ]
        ended = await asyncio.gather(*jobs, return_exceptions=True)
        errors = [each for each in ended if isinstance(each, BaseException)]
        for error in sorted(errors, key=lambda each: isinstance(each, GaveUp)):
            raise error
        tally = sum((each for each in ended if isinstance(each, Tally)), before)
        await work.run.commit(work.record.end(layout.validation, tally))
        return Filled(layout.validation.status, layout.validation.reason, tally)

    async def _shard(self, key: str, chosen: tuple[int, ...], layout: Layout, shared: Any) -> Tally:
        """One shard, asked for again until all rows are there; only rounds without one count."""
        work = self._work
        step = work.log.step(key.removeprefix(f"{matrix_key(*self._key)}:"))
        left, idle, budget_s = chosen, 0, SHARD_BUDGET_S + layout.setup_s
        while left and idle < work.run.retry.infra:
            result = await work.task(step, left, layout.validation, shared, budget_s)
            rows = work.sound(result.rows, layout.validation, step)
            step.take(result, rows)
            left = self._left(left, rows)
            if not rows:
                idle, budget_s = idle + 1, budget_s * LONGER
        if left:
            names = ", ".join(self._mutants[position].mutant_id for position in left[:3])
            raise GaveUp(f"no row for {len(left)} mutants: {names}", step.account.begun)
        await work.run.commit(work.record.shard(key, layout.validation, step), len(step.rows))
        step.forget()
        return step.tally

    def _first(self, known: Validation | None) -> tuple[int, ...]:
        """Mutants of the first task: what it can carry, and the planted ones in any case."""
        sample = {*first_sample(len(self._mutants), self._bytes), *self._planted}
        wanted = range(len(self._mutants)) if known is None else self._wanted(known)
        return tuple(position for position in wanted if position in sample)

    def _wanted(self, validation: Validation) -> tuple[int, ...]:
        """Mutants that a suite is run against.

        One whose tests may not kill still meets the planted bug, which its tests may lock in.
        """
        if validation.status == "valid":
            return tuple(range(len(self._mutants)))
        return self._planted if validation.status == "no_kept_tests" else ()

    @property
    def _planted(self) -> tuple[int, ...]:
        return tuple(n for n, mutant in enumerate(self._mutants) if mutant.planted)

    def _left(self, chosen: Iterable[int], rows: Sequence[Row]) -> tuple[int, ...]:
        there = {row.mutant_id for row in rows}
        return tuple(n for n in chosen if self._mutants[n].mutant_id not in there)
