"""Gathers finished work and commits it as units: often enough to lose little, seldom enough that
units stay large."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from cluster.keys import committed_key
from cluster.resume import Resume
from configs.errors import InfraError, KillgridError
from storage.claims import Claim, TakenOverError
from storage.objects import ObjectStore
from storage.units import commit_unit

if TYPE_CHECKING:
    import pyarrow as pa

# A unit is committed when it is this old and has as many rows; with fewer rows it may wait for a
# share of the run's time so far. So a killed driver loses 10 s of work or 1 % of what it did, and
# a night's run makes some hundred units and not ten thousand.
ENOUGH_ROWS = 5_000
MIN_AGE_S = 10.0
SHARE_OF_RUN = 0.01
MAX_AGE_S = 120.0
# A unit is committed at once when it has so many rows.
MAX_ROWS = 200_000
LOOK_EVERY_S = 0.5
# Work that waits to become durable waits this long for company.
LINGER_S = 0.2
# With so many full units waiting, a slow store slows the cells down instead of filling memory.
MOST_WAITING = 4
# A store that is gone is tried again for so long before the run ends: nights have such hours.
PATIENCE_S = 1800.0
PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0


@dataclass
class Batch:
    """Finished work that is not stored yet."""

    pieces: dict[str, list[pa.Table]] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    facts: dict[str, Any] = field(default_factory=dict)
    rows: int = 0
    began: float = 0.0

    def add(self, tables: Mapping[str, pa.Table]) -> None:
        for name, table in tables.items():
            if table.num_rows:
                self.pieces.setdefault(name, []).append(table)
                self.rows += table.num_rows


class UnitWriter:
    """The only one that writes results. `add` as work is finished; `serve` runs beside the cells.

    Units are committed one after another in the order of `add`, so that a key is never stored
    before the work it builds on. A `claim` that another driver has taken over ends all writing.
    `trouble` says what keeps a commit waiting, in words for the progress display.
    """

    def __init__(
        self, store: ObjectStore, experiment_id: str, resume: Resume, claim: Claim | None = None
    ) -> None:
        self._store = store
        self._claim = claim
        self._experiment_id = experiment_id
        self._resume = resume
        self._batch = Batch()
        self._began = time.monotonic()
        self._writing = asyncio.Lock()
        self._broken: Exception | None = None
        self._hurried = threading.Event()
        self._room = asyncio.Condition()
        self.trouble = ""

    def hurry(self) -> None:
        """The run is ending: a store that does not answer now is not waited for."""
        self._hurried.set()

    async def add(
        self,
        tables: Mapping[str, pa.Table],
        done: Iterable[str] = (),
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        """Take over finished work, once there is room for it."""
        async with self._room:
            await self._room.wait_for(lambda: self._batch.rows < MOST_WAITING * MAX_ROWS)
        self._batch.began = self._batch.began or time.monotonic()
        self._batch.add(tables)
        self._batch.done.update(done)
        self._batch.facts.update(facts or {})

    async def durable(self) -> None:
        """Return when all that was added so far is stored."""
        await asyncio.sleep(LINGER_S)
        await self.flush()

    async def serve(self) -> None:
        """Commit whenever a unit is due; ends only by being cancelled."""
        while True:
            await asyncio.sleep(min(LOOK_EVERY_S, MIN_AGE_S))
            if due(self._batch, time.monotonic(), self._began):
                await self.flush()

    async def flush(self) -> None:
        """Commit all that waits. InfraError when the store cannot be written to, now or before.

        Whoever waits for its work to be durable must hear of a failed commit that held it.
        """
        async with self._writing:
            if self._broken is not None:
                raise self._broken
            batch, self._batch = self._batch, Batch()
            if batch.done or batch.pieces:
                try:
                    await _finished(asyncio.to_thread(self._commit, batch))
                except KillgridError as error:
                    self._broken = error
                    raise
            async with self._room:
                self._room.notify_all()

    def _commit(self, batch: Batch) -> None:
        """In a thread. A store in trouble is tried again until PATIENCE_S are over."""
        batch.facts[committed_key(datetime.now(UTC).isoformat(timespec="milliseconds"))] = {}
        until, pause_s = time.monotonic() + PATIENCE_S, PAUSE_S
        while True:
            try:
                if self._claim is not None:
                    self._claim.check()
                commit_unit(self._store, self._experiment_id, batch.pieces, batch.done, batch.facts)
            except TakenOverError:
                raise
            except InfraError as error:
                self.trouble = f"the store cannot be written to, trying again: {error}"
                if time.monotonic() >= until or self._hurried.wait(pause_s):
                    raise
                pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
            else:
                self.trouble = ""
                self._resume.add(batch.done, batch.facts)
                return


def due(batch: Batch, now: float, run_began: float) -> bool:
    """Whether a batch is to be committed; times are monotonic seconds."""
    if not batch.began:
        return False
    age, patience = now - batch.began, SHARE_OF_RUN * (now - run_began)
    enough = batch.rows >= ENOUGH_ROWS
    longest = MIN_AGE_S if enough else min(max(MIN_AGE_S, patience), MAX_AGE_S)
    return age >= longest or batch.rows >= MAX_ROWS


async def _finished(work: Any) -> None:
    """Await to the end even when cancelled meanwhile: a unit is not to be committed twice."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        task.result()
        raise
