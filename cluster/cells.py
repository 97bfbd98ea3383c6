"""The protocol that one cell carries out: write, validate and execute everywhere, end."""

from __future__ import annotations

from cluster.commits import Ending, cell_end, cell_missing
from cluster.ledger import GaveUp
from cluster.matrices import Matrix
from cluster.plan import Cell
from cluster.resume import Tally
from cluster.work import CellLog, Run, SuiteWork
from cluster.writing import Draft, write
from configs.errors import BudgetError
from tasks.records import ExecutionSettings


async def carry_out(cell: Cell, run: Run) -> None:
    """A cell from its suite to its stored matrix. What is stored already is not done again."""
    log = CellLog(cell, run.board)
    try:
        ending = await _measured(cell, run, log)
        await run.commit(cell_end(run.plan.experiment_id, cell, ending))
        run.board.cells_done += 1
    except BudgetError as error:
        # Nothing is stored of it: with more money the same command goes on here.
        run.board.cells_unpaid += 1
        run.board.note = str(error)
    except GaveUp as lost:
        known = cell.cell_id in run.resume.missing()
        suite_id = cell.suite.suite_id if cell.suite else ""
        cost = run.resume.calls.cell_cost(cell.cell_id)
        ending = Ending("missing", "", lost.reason, suite_id, log.tally, cost)
        commit = cell_missing(run.plan.experiment_id, cell, ending, log.unstored, known)
        await run.commit(commit)
        run.board.cells_missing += 1
    finally:
        run.shipping.release(cell)


async def _measured(cell: Cell, run: Run, log: CellLog) -> Ending:
    # Writers wait for models and generators, and hold none of the places of those that run.
    draft = await write(cell, run, log)
    async with run.cells:
        return await _executed(cell, draft, run, log)


async def _executed(cell: Cell, draft: Draft, run: Run, log: CellLog) -> Ending:
    cost = run.resume.calls.cell_cost(cell.cell_id)
    if draft.suite is None:
        return Ending("done", "no_suite", draft.reason, "", log.tally, cost)
    first, *others = run.plan.environments
    work = SuiteWork(cell, draft.suite, first, run, log)
    filled = await Matrix(work, True, draft.known).fill()
    total = filled.tally
    for settings in others if filled.status in ("valid", "no_kept_tests") else ():
        total += await _elsewhere(cell, draft, settings, run, log)
    return Ending("done", filled.status, filled.reason, draft.suite.suite_id, total, cost)


async def _elsewhere(
    cell: Cell, draft: Draft, settings: ExecutionSettings, run: Run, log: CellLog
) -> Tally:
    """The same suite under another environment's settings, which do not say whether it is valid."""
    assert draft.suite is not None
    work = SuiteWork(cell, draft.suite, settings, run, log)
    return (await Matrix(work, False).fill()).tally
