"""Owns simulated time: an event loop whose clock counts the driver's own work and skips its waits.

The clock shows the CPU time that this process has used, without what the simulation itself used,
plus every wait that was skipped since nothing was left to do. So a simulated night takes as long as
the driver has work, and how busy the machine is with other things does not count.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import selectors
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import Executor
from typing import Any
from unittest import mock

# How often a loop that waits for a thread looks for it.
LOOK_S = 0.002


class Clock:
    """Simulated seconds. What happens in `apart` is the simulation's own and takes no time."""

    def __init__(self) -> None:
        self._apart_s = 0.0
        self._added_s = 0.0
        self._latest = 0.0
        self.skipped_s = 0.0
        self._began = time.process_time()

    def now(self) -> float:
        """Seconds since the clock was made; never less than before, and never zero."""
        own = time.process_time() - self._began - self._apart_s
        self._latest = max(self._latest, 1.0 + own + self._added_s)
        return self._latest

    @property
    def cpu_s(self) -> float:
        """CPU seconds of the driver so far, with what was charged to it."""
        return self.now() - 1.0 - self.skipped_s

    def charge(self, seconds: float) -> None:
        """Count work that the driver would do and that is not done here."""
        self._added_s += seconds

    def skip(self, seconds: float) -> None:
        """The driver sleeps."""
        self._added_s += seconds
        self.skipped_s += seconds

    @contextlib.contextmanager
    def apart(self) -> Iterator[None]:
        """Work of the simulation."""
        began = time.thread_time()
        try:
            yield
        finally:
            self._apart_s += time.thread_time() - began


class _Selector(selectors.DefaultSelector):
    """Sleeps by moving the clock, unless a thread is at work whose end the loop may wait for."""

    clock: Clock
    threads: set[Any]

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        if self.threads or timeout is None:
            return super().select(min(LOOK_S, LOOK_S if timeout is None else timeout))
        self.clock.skip(timeout)
        return []


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop in simulated time; work in threads takes the CPU time that it uses."""

    def __init__(self, clock: Clock) -> None:
        selector = _Selector()
        selector.clock, selector.threads = clock, set()
        self._threads = selector.threads
        self._clock = clock
        super().__init__(selector)

    def time(self) -> float:
        return self._clock.now()

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Any, *args: Any
    ) -> asyncio.Future[Any]:
        future = super().run_in_executor(executor, func, *args)
        self._threads.add(future)
        future.add_done_callback(self._threads.discard)
        return future


def run_simulated(clock: Clock, work: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine to its end in simulated time; `time.monotonic` tells it meanwhile."""
    gc.collect()
    with (
        mock.patch("time.monotonic", clock.now),
        asyncio.Runner(loop_factory=lambda: SimulatedLoop(clock)) as runner,
    ):
        return runner.run(work)
