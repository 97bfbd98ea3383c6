"""The two lines of stations that a suite may run on: opening, asking and closing them."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from .collecting import serve_fresh
from .judging import Key
from .rows import Row
from .serving import Spec
from .stations import Station, StationLostError
from .swapping import serve_swap

_MARGIN_S = 60.0
_OPENING_S = 5.0  # for namespaces and mounts; a suite that hangs is timed by the fresh station


class Lines:
    """Opens a fresh and a swap station as they are needed.

    `swap_refusal` says why nothing is swapped for this suite, '' while swapping is possible. Times
    of the baseline, by ordinal, set the limits of what is asked for.
    """

    def __init__(
        self,
        spec: Spec,
        swap_refusal: str,
        foreign: Sequence[socket.socket],
        event: Callable[[str, str], None],
    ) -> None:
        self._spec = spec
        self._foreign = foreign
        self._event = event
        self._fresh: Station | None = None
        self._swap: Station | None = None
        self._prepared = self._swap_ready = False
        self.swap_refusal = swap_refusal
        self.opening: dict[str, Any] = {}
        self.keys: list[Key] = []
        self._timed: dict[Station, dict[int, float]] = {}  # the times that it was told
        self.cpu: dict[int, float] = {}
        self.wall: dict[int, float] = {}
        self.modules: tuple[str, ...] = ()

    def _request(self, station: Station, given: dict[str, Any]) -> dict[str, Any]:
        defaults = {"files": {}, "stop_at": [], "one_each": False, "watch": False, "control": False}
        request = {"confirm": bool(self.cpu), **defaults, **given}
        if self._timed.get(station) is not self.cpu:
            self._timed[station] = self.cpu
            request["times"] = (self.cpu, self.wall)
        return request

    def ask_fresh(self, given: dict[str, Any], strategy: str = "fresh") -> Row:
        """A row from a child that imports anew; `process` makes it a new interpreter."""
        if self._fresh is None:
            spec = self._spec
            self._fresh = Station(lambda connection: serve_fresh(spec, connection), self._foreign)
            if self.keys:
                self._fresh.ask({"keys": self.keys}, _MARGIN_S)
        request = self._request(self._fresh, given) | {"strategy": strategy}
        try:
            return _row(self._fresh.ask(request, self._patience(request)))
        except StationLostError:
            self._fresh.close()
            self._fresh = None
            raise

    def ask_swap(self, given: dict[str, Any]) -> Row | None:
        """None when this change cannot be swapped, or swapping is over for this suite."""
        if not self.open_swap():
            return None
        assert self._swap is not None
        request = self._request(self._swap, given)
        try:
            answer = self._swap.ask(request, self._patience(request))
        except StationLostError as error:
            self.close_swap(str(error).strip().splitlines()[-1])
            raise
        return None if "unsound" in answer else _row(answer)

    def open_swap(self) -> bool:
        """Whether mutants may be swapped; opens the station on the first call."""
        if self._swap is None and not self.swap_refusal:
            spec = replace(self._spec, keys=tuple(self.keys))
            self._swap = Station(lambda connection: serve_swap(spec, connection), self._foreign)
            try:
                answer = self._swap.ask({}, 2 * self._spec.limits.collect_s + _OPENING_S)
            except StationLostError as error:
                answer = {"unfit": str(error).strip().splitlines()[-1]}
            self.opening = answer
            if answer["unfit"]:
                self.close_swap(answer["unfit"])
            elif self._prepared:
                self.ready_swap()
        return not self.swap_refusal

    def ready_swap(self) -> None:
        """Have the station find its live code, once the baselines have shown what to load."""
        self._prepared = True
        if self._swap is None or self._swap_ready:
            return
        try:
            unfit = self._swap.ask({"prewarm": self.modules}, _MARGIN_S)["unfit"]
        except StationLostError as error:
            unfit = str(error).strip().splitlines()[-1]
        self._swap_ready = True
        if unfit:
            self.close_swap(unfit)

    def judge(self, mutants: Sequence[dict[str, str]]) -> list[list[str] | None]:
        """For each mutant (path and source) the functions to swap; None where that is unsound."""
        if not mutants or not self.open_swap():
            return [None] * len(mutants)
        assert self._swap is not None
        try:
            answer = self._swap.ask({"judge": list(mutants)}, _MARGIN_S + len(mutants))
        except StationLostError as error:
            self.close_swap(str(error).strip().splitlines()[-1])
            return [None] * len(mutants)
        if answer["reasons"]:
            self._event("fresh_import", "; ".join(answer["reasons"])[:1000])
        return list(answer["functions"])

    def close_swap(self, reason: str) -> None:
        """Swap no more for this suite; the first reason stays."""
        if self.swap_refusal:
            return
        self.swap_refusal = reason
        if self._swap is not None:
            self._swap.close()
            self._swap = None

    def _patience(self, request: dict[str, Any]) -> float:
        """Longer than every limit that the station itself keeps, taken together."""
        limits = self._spec.limits
        tests = request.get("tests") or [0] * limits.tests
        each = [limits.wall_s(self.wall.get(n, 0.0)) for n in tests]
        if not self.wall:
            each = [2 * limits.collect_s] * len(tests)
        return _MARGIN_S + (1 + limits.confirm_factor) * (sum(each) + 4 * limits.collect_s)

    def close(self) -> None:
        """End every station of the suite."""
        for station in (self._fresh, self._swap):
            if station is not None:
                station.close()


def _row(answer: dict[str, Any]) -> Row:
    row = Row(**answer)
    if row.broken:
        raise StationLostError(row.broken)
    # JSON knows neither integer keys nor tuples.
    row.results = {int(k): (v[0], v[1], v[2], v[3], v[4]) for k, v in answer["results"].items()}
    row.watched = {int(k): v for k, v in answer["watched"].items()}
    return row
