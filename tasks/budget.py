"""The money of an experiment: what is spent, what is promised, and who has to wait or stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from configs.errors import BudgetError


@dataclass
class Hold:
    """Money set aside for one attempt; `charge` is what is taken of it in the end, in dollars."""

    upper_usd: float
    charge: float = 0.0

    def begin(self) -> None:
        """The request leaves: until its cost is known all of it counts as spent."""
        self.charge = self.upper_usd

    def settle(self, cost_usd: float | None) -> None:
        """The attempt is over. An unknown cost stays at the upper bound."""
        self.charge = self.upper_usd if cost_usd is None else cost_usd


class Budget:
    """A limit in US dollars that calls in flight cannot pass together. For one event loop.

    `spent_usd` is what was paid before, and grows; unknown costs are in it at their upper bounds.
    """

    def __init__(self, limit_usd: float | None = None, spent_usd: float = 0.0) -> None:
        self.limit_usd = limit_usd
        self.spent_usd = spent_usd
        self.held_usd = 0.0
        self._holds = 0
        self._freed = asyncio.Event()

    @asynccontextmanager
    async def reserve(self, upper_usd: float) -> AsyncIterator[Hold]:
        """Set `upper_usd` aside while an attempt runs, and take its charge at the end.

        Near the limit it waits for attempts in flight, which mostly cost less than was set aside.
        Raises BudgetError when what is spent alone leaves too little. A hold that was never begun
        costs nothing, one that was begun and not settled all of it.
        """
        await self._room_for(upper_usd)
        hold = Hold(upper_usd)
        self.held_usd += upper_usd
        self._holds += 1
        try:
            yield hold
        finally:
            self._holds -= 1
            self.held_usd = self.held_usd - upper_usd if self._holds else 0.0
            self.spent_usd += hold.charge
            self._wake()

    async def _room_for(self, upper_usd: float) -> None:
        while self.limit_usd is not None:
            if self.spent_usd + upper_usd > self.limit_usd:
                raise BudgetError(
                    f"budget_usd is {self.limit_usd:.2f} and {self.spent_usd:.4f} is spent: "
                    f"the next call could cost {upper_usd:.4f}"
                )
            if self.spent_usd + self.held_usd + upper_usd <= self.limit_usd:
                return
            await self._freed.wait()

    def _wake(self) -> None:
        self._freed.set()
        self._freed = asyncio.Event()
