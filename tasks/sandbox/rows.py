"""One row of a kill matrix: children are forked until every test of it has an outcome.

Runs in a station, which is pid 1 of its own pid namespace, so that it can end everything that a
test left behind. Time limits are kept from here, outside the process that runs the tests.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .journal import COLLECTING, Journal
from .limits import Limits
from .outcomes import KILLING
from .waiting import Times, Watcher, death, status_signal, sweep

Fork = Callable[[Sequence[int]], int]  # forks a child that runs these tests; its pid
CONFIRMED_FLOOR_SHARE = 0.4


@dataclass
class Row:
    """What is known of one row: per test (outcome, wall s, CPU s, exception, message)."""

    results: dict[int, tuple[str, float, float, str, str]] = field(default_factory=dict)
    watched: dict[int, list[Any]] = field(default_factory=dict)
    notes: list[tuple[str, str]] = field(default_factory=list)
    broken: str = ""
    found: list[int] = field(default_factory=list)
    collected: list[list[Any]] = field(default_factory=list)
    collect_errors: list[list[str]] = field(default_factory=list)
    refusal: str = ""
    collecting: tuple[str, str, str] | None = None  # how it ended when nothing was collected
    modules: list[str] = field(default_factory=list)
    ran: list[str] | None = None  # target functions that ran while the suite was collected
    reads_source: bool = False  # whether collection read a target's text as data
    ended: bool = False


class RowRunner:
    """Fills rows for one station. Without `confirm`, a time-out is believed at once."""

    def __init__(
        self, journal: Journal, limits: Limits, times: Times, confirm: bool = True
    ) -> None:
        self._journal = journal
        self._limits = limits
        self._times = times
        self._confirm = confirm

    def run(
        self,
        wanted: Sequence[int],
        fork: Fork,
        stop_at: frozenset[int] = frozenset(),
        one_each: bool = False,
        row: Row | None = None,
    ) -> Row:
        """A whole row: `wanted` tests in order, in as many children as it takes.

        A kill by a test in `stop_at` ends the row early; `one_each` gives every test its own child;
        `row` is one that was begun.
        """
        row = row or Row()
        watcher = Watcher(self._journal, self._limits, self._times)
        remaining = [ordinal for ordinal in wanted if ordinal not in row.results]
        while remaining and not row.broken:
            batch = remaining[:1] if one_each else remaining
            before = len(row.results)
            reason, status = self.child(row, batch, fork, watcher)
            self._settle(row, batch, fork, watcher, reason, status)
            if any(row.results[o][0] in KILLING for o in stop_at & row.results.keys()):
                break
            if len(row.results) == before and not row.broken:
                row.broken = "a child ended without progress"
            remaining = [ordinal for ordinal in remaining if ordinal not in row.results]
        return row

    def meet(self, fork: Fork) -> Row:
        """One child that finds its tests by itself: how a suite is first met."""
        row = Row()
        watcher = Watcher(self._journal, self._limits, self._times)
        reason, status = self.child(row, [], fork, watcher)
        if row.collected:
            self._settle(row, range(len(row.collected)), fork, watcher, reason, status)
        elif not row.ended:
            row.collecting = death(reason, status)
        return row

    def _settle(
        self,
        row: Row,
        batch: Sequence[int],
        fork: Fork,
        watcher: Watcher,
        reason: str,
        status: int,
    ) -> None:
        """Verdicts on what the child's own records leave open."""
        if row.broken:
            return
        if row.ended or row.refusal:
            _fill_uncollected(row, batch)
            return
        victims = self._victims(row, batch)
        ending = death(reason, status)
        if victims and self._believe(row, victims, fork, watcher, ending, status):
            wall = time.monotonic() - self._journal.current[1]
            for ordinal in victims:
                row.results.setdefault(ordinal, (ending[0], wall, 0.0, *ending[1:]))

    def _victims(self, row: Row, batch: Sequence[int]) -> list[int]:
        """The tests that the death of the child concerns."""
        ordinal = self._journal.current[0]
        rest = [o for o in batch if o not in row.results]
        if ordinal == COLLECTING:
            return rest  # it died before any test began
        if ordinal not in row.results:
            return [ordinal]
        if row.results[ordinal][0] == "crashed":
            return []  # the child recorded its own end
        return rest[:1]  # between two tests: the next is where it would have gone on

    def _believe(
        self,
        row: Row,
        victims: list[int],
        fork: Fork,
        watcher: Watcher,
        ending: tuple[str, str, str],
        status: int,
    ) -> bool:
        """Confirm a time-out, or a SIGKILL that the kernel may have sent, alone and with more time.

        When the second try ends by itself its results are taken instead.
        """
        doubtful = ending[0] == "timeout" or status_signal(status) == signal.SIGKILL
        if not (self._confirm and doubtful) or watcher.floor_share < 1:
            return True
        again = Row()
        longer = replace(watcher, factor=self._limits.confirm_factor)
        reason, second = self.child(again, victims, fork, longer)
        if again.broken:
            row.broken = again.broken
            return False
        if again.results or again.ended or again.refusal:
            row.notes.append((f"unconfirmed_{ending[0]}", f"test {victims[0]}: {ending[2]}"))
            if again.ended or again.refusal:
                _fill_uncollected(again, victims)
            row.results.update(again.results)
            return False
        if death(reason, second)[0] == "timeout":
            # The mutant loops, that much is proven: its other tests need no second look.
            watcher.floor_share = CONFIRMED_FLOOR_SHARE
        return True

    def child(
        self, row: Row, batch: Sequence[int], fork: Fork, watcher: Watcher
    ) -> tuple[str, int]:
        """Fork one child, wait, sweep; (limit passed or '', wait status)."""
        self._journal.reset()
        watcher.first = batch[0] if batch else -1
        pid = fork(batch)
        try:
            reason = watcher.wait(pid)
        finally:
            status = sweep(pid)
        _read(self._journal, row)
        row.ended = self._journal.ended
        return reason, status


def _read(journal: Journal, row: Row) -> None:
    for kind, *values in journal.records():
        if kind == "test":
            ordinal, *result = values
            row.results.setdefault(ordinal, tuple(result))
        elif kind == "found":
            row.found = values[0]
        elif kind == "watched":
            row.watched[values[0]] = values[1:]
        elif kind == "collect_error":
            row.collect_errors.append(values)
        elif kind == "collected":
            row.collected = values[0]
        elif kind == "ran":
            row.ran, row.reads_source = values
        elif kind == "modules":
            row.modules = values[0]
        elif kind == "refusal":
            row.refusal = values[0]
        elif kind == "broken":
            row.broken = values[0]


def _fill_uncollected(row: Row, batch: Sequence[int]) -> None:
    """Tests that were never found: an error where collection failed, else not collected."""
    missing = ("not_collected", 0.0, 0.0, "", "")
    if row.refusal:
        missing = ("error", 0.0, 0.0, "Refused", row.refusal[:200])
    elif row.collect_errors:
        _, name, message = row.collect_errors[0]
        missing = ("error", 0.0, 0.0, name, f"while collecting: {message}"[:200])
    for ordinal in set(batch) - set(row.found):
        row.results.setdefault(ordinal, missing)
