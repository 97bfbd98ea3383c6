"""Owns how much work is in flight: places whose number follows the cluster's size."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType


class Slots:
    """`async with slots:` holds one of `limit` places; first come, first served.

    `async with slots.ahead(seconds):` comes before all that wait so, long work first. When the
    limit shrinks, places in use are given up as they are returned, not taken away.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._asked = 0
        self._numbers = itertools.count()
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []

    @property
    def limit(self) -> int:
        return self._limit

    @property
    def asked(self) -> int:
        """Places in use and waited for."""
        return self._asked

    def resize(self, limit: int) -> None:
        """Allow `limit` places from now on."""
        self._limit = limit
        self._admit()

    @asynccontextmanager
    async def ahead(self, seconds: float) -> AsyncIterator[None]:
        """A place for work that will take so long."""
        await self.enter(seconds)
        try:
            yield
        finally:
            self.leave()

    async def enter(self, seconds: float = 0.0) -> None:
        """Wait for a place; whoever has got it has to `leave`."""
        place = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (-seconds, next(self._numbers), place))
        self._asked += 1
        self._admit()
        try:
            await place
        except BaseException:
            self._asked -= 1
            if not place.cancelled():
                self._held -= 1
                self._admit()
            raise

    def leave(self) -> None:
        """Give a place back."""
        self._asked -= 1
        self._held -= 1
        self._admit()

    def _admit(self) -> None:
        while self._held < self._limit and self._waiting:
            _, _, place = heapq.heappop(self._waiting)
            if not place.done():
                place.set_result(None)
                self._held += 1

    async def __aenter__(self) -> None:
        await self.enter()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.leave()
