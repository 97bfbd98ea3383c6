"""The numbers of a run in progress; the driver writes them, the progress display reads them."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass
class Board:
    """Counts of this run and of what was stored before it. `rows` are mutants of one cell each.

    `calls` are attempts of model calls of this run, `calls_open` of them on their way and
    `calls_unusable` without a usable reply; `spent_usd` holds the upper bound of those `unpriced`,
    whose cost nobody knows; `cells_unpaid` wait for a larger budget.
    """

    cells: int
    cells_done: int = 0
    cells_missing: int = 0
    rows: int = 0
    rows_done: int = 0
    rows_begun_with: int = 0
    executions: int = 0
    failed: int = 0
    calls: int = 0
    calls_open: int = 0
    calls_unusable: int = 0
    spent_usd: float = 0.0
    unpriced: int = 0
    cells_unpaid: int = 0
    nodes: int = 0
    cpus: int = 0
    note: str = ""
    store_trouble: str = ""
    started: float = field(default_factory=time.monotonic)

    def book(self, verdict: str, spent_usd: float, priced: bool) -> None:
        """One attempt of a model call has ended; `spent_usd` is a bound where it is not priced."""
        self.calls_unusable += verdict != "stop"
        self.unpriced += not priced
        self.spent_usd += spent_usd

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self.started

    @property
    def rate(self) -> float:
        """Mutants per second of this run."""
        done = self.rows_done - self.rows_begun_with
        return done / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """Seconds to go at the rate so far; None while there is no telling."""
        return (self.rows - self.rows_done) / self.rate if self.rate > 0 else None
