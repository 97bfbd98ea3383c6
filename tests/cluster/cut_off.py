"""A driver that asks one model and nothing else, to be killed while it waits: base URL, store."""

from __future__ import annotations

import asyncio
import sys

from cluster.batches import UnitWriter
from cluster.board import Board
from cluster.conduct import calling_of
from cluster.resume import Resume
from storage.objects import open_store
from storage.units import read_index
from tests.cluster.asked import asking_plan


async def _ask(base_url: str, uri: str) -> None:
    plan = asking_plan(base_url)
    store = open_store(uri)
    resume = Resume(read_index(store, plan.experiment_id))
    writer = UnitWriter(store, plan.experiment_id, resume)
    board = Board(cells=1)
    calling = calling_of(plan, plan.cells, resume, writer, board, False)
    assert calling is not None
    await calling.ask(plan.cells[0], plan.cells[0].prompt)


if __name__ == "__main__":
    asyncio.run(_ask(*sys.argv[1:3]))
