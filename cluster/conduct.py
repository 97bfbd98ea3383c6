"""The asyncio program: all cells of a plan as coroutines, beside what serves them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

from cluster.batches import UnitWriter
from cluster.board import Board
from cluster.calling import Calling
from cluster.cells import carry_out
from cluster.clients import make_client, price_book
from cluster.keys import cell_key, matrix_key, mutants_key, shard_key, subject_key
from cluster.options import RunOptions
from cluster.plan import Cell, Plan
from cluster.progress import shown
from cluster.ray_session import live_nodes
from cluster.resume import Resume
from cluster.shipping import Shipping
from cluster.slots import Slots
from cluster.stopping import Stopping
from cluster.work import Run
from configs.errors import Interrupted
from storage.claims import Claim
from storage.objects import ObjectStore
from storage.rows import mutant_rows, subject_rows

# Tasks in flight for each CPU: one at work, one waiting so that no CPU does, one on its way.
IN_FLIGHT = 3
LOOK_EVERY_S = 5.0

Work = Coroutine[Any, Any, Any]


async def conduct(
    plan: Plan,
    store: ObjectStore,
    resume: Resume,
    options: RunOptions,
    signals: Stopping,
    claim: Claim | None = None,
) -> Board:
    """Carry out all cells that are not stored yet, on the Ray that is connected.

    Interrupted when a signal came first. What is finished is stored, however this ends.
    """
    todo = [cell for cell in plan.cells if not resume.done(cell_key(cell.cell_id))]
    board = board_of(plan, resume)
    board.nodes, board.cpus = _cluster_size()
    writer = UnitWriter(store, plan.experiment_id, resume, claim)
    run = Run(
        plan=plan,
        resume=resume,
        writer=writer,
        shipping=Shipping(plan, todo, options.cache, options.run_job),
        tasks=Slots(IN_FLIGHT * board.cpus),
        cells=Slots(IN_FLIGHT * board.cpus),
        retry=options.retry,
        board=board,
        calling=calling_of(plan, todo, resume, writer, board, options.ask_lost),
    )
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    with signals.calling(lambda: _wake(loop, stop)), shown(board, options.progress):
        try:
            beside = [run.writer.serve(), _watch(run), stop.wait()]
            ended = await _until_first(_all_cells(todo, run), beside)
        finally:
            if run.calling is not None:
                await run.calling.aclose()
            run.writer.hurry()
            await run.writer.flush()
    if not ended:
        raise Interrupted(
            f"interrupted: {board.cells_done} of {board.cells} cells and {board.rows_done} of "
            f"{board.rows} mutants are stored in {store.uri}; the same command again does the rest"
        )
    return board


def calling_of(
    plan: Plan,
    todo: Sequence[Cell],
    resume: Resume,
    writer: UnitWriter,
    board: Board,
    ask_lost: bool,
) -> Calling | None:
    """What asks models, where a cell is left that has one."""
    if not any(cell.prompt for cell in todo):
        return None
    prices = price_book(plan)
    client = make_client(plan, prices, resume.calls.spent())
    return Calling(plan, resume, writer, board, client, prices, ask_lost)


def board_of(plan: Plan, resume: Resume) -> Board:
    """The counts at the start of a run, with what is stored already."""
    board = Board(cells=len(plan.cells), rows=sum(plan.rows(cell) for cell in plan.cells))
    for cell in plan.cells:
        if resume.done(cell_key(cell.cell_id)):
            board.cells_done += 1
            board.rows_done += plan.rows(cell)
        else:
            board.rows_done += _stored_rows(plan, resume, cell)
    board.rows_begun_with = board.rows_done
    board.spent_usd = resume.calls.spent()
    return board


def _stored_rows(plan: Plan, resume: Resume, cell: Cell) -> int:
    total = len(plan.subjects[cell.subject_id].runnable)
    found = 0
    for settings in plan.environments:
        place = (cell.cell_id, settings.environment)
        layout = resume.layout(*place)
        if resume.done(matrix_key(*place)):
            found += total
        elif layout is not None:
            count = len(layout.shards)
            numbered = enumerate(layout.shards, 1)
            left = (len(s) for n, s in numbered if not resume.done(shard_key(*place, n, count)))
            found += total - sum(left)
    return found


async def _all_cells(todo: Sequence[Cell], run: Run) -> None:
    """Subjects first, then every cell as a coroutine of its own.

    Those of many mutants begin first, so that the small ones fill up the end.
    """
    await _store_subjects(run)
    if run.calling is not None:
        await run.calling.settle()
    ordered = sorted(todo, key=run.plan.rows, reverse=True)
    working = [asyncio.ensure_future(carry_out(cell, run)) for cell in ordered]
    try:
        await asyncio.gather(*working)
    finally:
        await _call_off(working)


async def _store_subjects(run: Run) -> None:
    experiment_id = run.plan.experiment_id
    for subject_id, planned in run.plan.subjects.items():
        keys = [subject_key(subject_id), mutants_key(subject_id)]
        if all(run.resume.done(key) for key in keys):
            continue
        made = planned.mutant_set
        tables = {
            "subjects": subject_rows(experiment_id, planned.subject, made.mutant_set_sha256),
            "mutants": mutant_rows(experiment_id, made.mutants),
        }
        await run.writer.add(tables, keys)


async def _until_first(work: Work, beside: Sequence[Work]) -> bool:
    """Whether `work` ended before anything beside it did; an error of any of them goes through."""
    main = asyncio.ensure_future(work)
    others = [asyncio.ensure_future(each) for each in beside]
    try:
        done, _ = await asyncio.wait({main, *others}, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
        return main in done
    finally:
        await _call_off([main, *others])


def _wake(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    """Set an event from a signal handler: the loop may be asleep just then."""
    loop.call_soon_threadsafe(stop.set)


async def _call_off(tasks: Sequence[asyncio.Future[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _watch(run: Run) -> None:
    """Follow the cluster as it grows and shrinks."""
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        run.board.nodes, run.board.cpus = await asyncio.to_thread(_cluster_size)
        run.board.store_trouble = run.writer.trouble
        for slots in (run.tasks, run.cells):
            slots.resize(IN_FLIGHT * run.board.cpus)


def _cluster_size() -> tuple[int, int]:
    """Live nodes and their CPUs; never less than one, so that work goes on when they come back."""
    nodes = live_nodes()
    return len(nodes), max(1, int(sum(node["Resources"].get("CPU", 0) for node in nodes)))
