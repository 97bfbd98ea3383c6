"""What `plan` really runs: baselines and controls of every suite, and a few mutants for their time.

Nothing is scored or stored; what the mutants' tests said is thrown away.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from cluster.board import Board
from cluster.ledger import Account, GaveUp, attempt
from cluster.options import RunOptions
from cluster.plan import Cell, Plan
from cluster.preflight import check_nodes
from cluster.progress import shown
from cluster.ray_session import live_nodes, ray_session
from cluster.shipping import Shipping
from cluster.sizes import FIRST_BUDGET_S, limit_seconds, row_seconds
from cluster.slots import Slots
from cluster.stopping import stopping
from tasks.results import JobResult, Validation

SAMPLE = 3


@dataclass(frozen=True)
class RehearsedCell:
    """One suite's validation, or the reason why there is none. Times in CPU seconds of one worker.

    `left_s` is what the rest of the cell's mutants would take, by the sample.
    """

    cell: Cell
    validation: Validation | None
    reason: str
    took_s: float
    left_s: float


@dataclass(frozen=True)
class Rehearsal:
    """All cells of a plan, and the CPUs that they were run on."""

    cells: tuple[RehearsedCell, ...]
    cpus: int

    @property
    def estimate_s(self) -> float:
        """Wall-clock seconds that a run of the whole plan takes on as many CPUs, about."""
        return sum(each.took_s + each.left_s for each in self.cells) / self.cpus


def rehearse(plan: Plan, options: RunOptions) -> Rehearsal:
    """Validate every suite of a plan that exists already, on Ray."""
    with stopping() as signals, ray_session(options.address, options.cpus):
        signals.install()
        if options.run_job is None:
            check_nodes(options.cache)
        return asyncio.run(_all_cells(plan, options))


async def _all_cells(plan: Plan, options: RunOptions) -> Rehearsal:
    cpus = _cpus()
    cells = [cell for cell in plan.cells if cell.suite is not None]
    board = Board(cells=len(cells), cpus=cpus)
    shipping = Shipping(plan, cells, options.cache, options.run_job)
    slots = Slots(2 * cpus)

    async def one(cell: Cell) -> RehearsedCell:
        async with slots:
            rehearsed = await _cell(cell, plan, shipping, options)
        shipping.release(cell)
        board.cells_done += 1
        return rehearsed

    with shown(board, options.progress):
        return Rehearsal(tuple(await asyncio.gather(*map(one, cells))), cpus)


async def _cell(cell: Cell, plan: Plan, shipping: Shipping, options: RunOptions) -> RehearsedCell:
    total = len(plan.subjects[cell.subject_id].runnable)
    chosen = tuple(range(0, total, max(1, total // SAMPLE)))[:SAMPLE]
    assert cell.suite is not None
    submit = shipping.submitter(cell, cell.suite, plan.settings, chosen, None, FIRST_BUDGET_S)
    limit_s = limit_seconds(plan.settings, None, FIRST_BUDGET_S)
    try:
        result: JobResult = await attempt(Account("rehearse"), submit, limit_s, options.retry)
    except GaveUp as lost:
        return RehearsedCell(cell, None, lost.reason, 0.0, 0.0)
    validation = result.validation
    if validation is None:
        return RehearsedCell(cell, None, "the task brought no validation", 0.0, 0.0)
    left = total - len(result.rows) if validation.status == "valid" else 0
    left_s = left * row_seconds(validation, result.rows)
    left_s += (len(plan.environments) - 1) * (result.wall_s + left_s)
    return RehearsedCell(cell, validation, validation.reason, result.wall_s, left_s)


def _cpus() -> int:
    return max(1, int(sum(node["Resources"].get("CPU", 0) for node in live_nodes())))
