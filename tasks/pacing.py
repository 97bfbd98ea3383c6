"""How fast calls may go: in flight and per minute for a provider, and the patience of one call."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tenacity import RetryCallState, wait_exponential


@dataclass(frozen=True)
class CallPolicy:
    """Limits on one call; times in seconds.

    `attempts` tries at most. `deadline_s` bounds all tries and the pauses between them, `attempt_s`
    each try to its last byte. Pauses grow from `backoff_s`, doubling, to `backoff_max_s`.
    """

    attempts: int = 5
    deadline_s: float = 900.0
    attempt_s: float = 600.0
    backoff_s: float = 1.0
    backoff_max_s: float = 60.0


class Gate:
    """The limits of one provider: calls in flight, and requests per minute, evenly spaced."""

    def __init__(self, concurrency: int, requests_per_minute: int | None) -> None:
        self._slots = asyncio.Semaphore(concurrency)
        self._spacing = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._next = 0.0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """One of the calls in flight. It is kept between tries: a struggling server gets less."""
        async with self._slots:
            yield

    async def turn(self) -> None:
        """Wait until one more request may leave."""
        now = asyncio.get_running_loop().time()
        at = max(now, self._next)
        self._next = at + self._spacing
        await asyncio.sleep(at - now)


class Patience:
    """What is left of a call's deadline, and the pauses between its tries.

    Only time with the provider and pauses count; waiting for one's turn, for budget or for the
    store does not. The jitter derives from `seed`, so that a call pauses alike whenever it is made,
    and two calls differently.
    """

    def __init__(self, policy: CallPolicy, seed: str) -> None:
        self.left_s = policy.deadline_s
        self.wish_s: float | None = None
        self._policy = policy
        self._random = random.Random(seed)
        self._growing = wait_exponential(multiplier=policy.backoff_s, max=policy.backoff_max_s)

    @property
    def try_s(self) -> float:
        """Seconds for the next try."""
        return min(self._policy.attempt_s, self.left_s)

    def spend(self, seconds: float) -> None:
        """Take time off what is left."""
        self.left_s = max(self.left_s - seconds, 0.0)

    def pause_s(self, state: RetryCallState) -> float:
        """Seconds before the next try: half to all of the grown pause, or what the server asked."""
        pause = self._growing(state) * self._random.uniform(0.5, 1.0)
        # A tenth more at most, so that all who were told the same do not come back at once.
        return max(pause, (self.wish_s or 0.0) * self._random.uniform(1.0, 1.1))

    def over(self, state: RetryCallState) -> bool:
        """Whether there is no further try: none is left, or no time after the pause."""
        return state.attempt_number >= self._policy.attempts or state.upcoming_sleep >= self.left_s

    async def pause(self, seconds: float) -> None:
        """Wait, on the call's own time."""
        self.spend(seconds)
        await asyncio.sleep(seconds)
