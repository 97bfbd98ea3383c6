"""Owns how much work is in flight: a semaphore that follows the cluster's size."""

from __future__ import annotations

import asyncio
from types import TracebackType


class Slots:
    """`async with slots:` holds one of `limit` places; first come, first served.

    When the limit shrinks, places in use are given up as they are returned, not taken away.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._owed = 0
        self._asked = 0
        self._free = asyncio.Semaphore(limit)

    @property
    def limit(self) -> int:
        return self._limit

    @property
    def asked(self) -> int:
        """Places in use and waited for."""
        return self._asked

    def resize(self, limit: int) -> None:
        """Allow `limit` places from now on."""
        change = limit - self._limit
        self._limit = limit
        if change < 0:
            self._owed -= change
            return
        forgiven = min(self._owed, change)
        self._owed -= forgiven
        for _ in range(change - forgiven):
            self._free.release()

    async def __aenter__(self) -> None:
        self._asked += 1
        try:
            await self._free.acquire()
        except BaseException:
            self._asked -= 1
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._asked -= 1
        if self._owed:
            self._owed -= 1
        else:
            self._free.release()
