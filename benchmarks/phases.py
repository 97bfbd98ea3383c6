"""Owns the stop-watch of a measured process: what its whole tree had spent when a phase ended."""

from __future__ import annotations

import functools
import inspect
import time
from typing import Any

from benchmarks.meter import own_cpu_s

_BEGAN = time.monotonic()


class Phases:
    """`ends` maps each phase to (CPU seconds, wall seconds) since the process began."""

    def __init__(self) -> None:
        self._read = own_cpu_s()
        self.ends: dict[str, tuple[float, float]] = {}

    def end(self, name: str) -> None:
        """Note the time; a phase that ends again keeps its first end."""
        self.ends.setdefault(name, (self._read(), time.monotonic() - _BEGAN))

    def mark(self, owner: Any, name: str, *, before: str = "", after: str = "") -> None:
        """End a phase whenever a function of a module or class is called, or has returned."""
        plain = getattr(owner, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            if before:
                self.end(before)
            result = plain(*args, **kwargs)
            if after:
                self.end(after)
            return result

        async def wait(*args: Any, **kwargs: Any) -> Any:
            if before:
                self.end(before)
            result = await plain(*args, **kwargs)
            if after:
                self.end(after)
            return result

        wrapped = wait if inspect.iscoroutinefunction(plain) else call
        setattr(owner, name, functools.wraps(plain)(wrapped))


def parts(ends: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """What each phase took by itself, in the order of their ends."""
    taken, before = {}, (0.0, 0.0)
    for name, end in sorted(ends.items(), key=lambda item: item[1][1]):
        taken[name] = (end[0] - before[0], end[1] - before[1])
        before = end
    return taken
