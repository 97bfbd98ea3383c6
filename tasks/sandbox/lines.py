"""The two lines of stations that a suite may run on, and which of them a mutant takes."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from . import controls
from .collecting import serve_fresh
from .judging import Key, TestFacts
from .outcomes import KILLING
from .rows import Row
from .serving import Spec
from .stations import Station, StationLostError
from .swapping import serve_swap

Files = dict[str, str]  # path in the tree -> Latin-1 text of its bytes
_MARGIN_S = 60.0


class Lines:
    """Opens stations as they are needed. Lines are `swap`, `fresh` and `process`."""

    def __init__(
        self,
        spec: Spec,
        settings: dict[str, Any],
        foreign: Sequence[socket.socket],
        event: Callable[[str, str], None],
    ) -> None:
        self._spec = spec
        self._settings = settings
        self._foreign = foreign
        self._event = event
        self._keys: list[Key] = []
        self._fresh: Station | None = None
        self._swap: Station | None = None
        self._swap_refusal = "" if settings["strategy"] in ("auto", "swap") else "not asked for"
        self._opening: dict[str, Any] = {}
        self._prepared = self._swap_ready = False
        self._cpu: dict[int, float] = {}
        self._wall: dict[int, float] = {}
        self._kept: list[int] = []
        self._checked: dict[str, frozenset[int]] = {}
        self.ran: frozenset[str] = frozenset()
        self.modules: tuple[str, ...] = ()
        self._sources: dict[str, bytes] = {}

    # -- baselines

    def meet(self, watch: bool) -> Row:
        """First run of a suite: what it collects, and how it goes on the correct code."""
        return self._ask_fresh({"meet": True, "watch": watch})

    def learn(self, keys: Sequence[Key]) -> None:
        """From now on tests are named by their place in this list."""
        self._keys = list(keys)

    def baseline(self, tests: Sequence[int], watch: bool) -> Row:
        """Another run on the correct code; a watched one is a fork of the swap station if it can.

        Its process has run no test before, as a new one would not have, and costs a tenth.
        """
        if watch and self._open_swap():
            try:
                row = self._ask_swap({"tests": list(tests), "watch": True})
            except StationLostError:
                row = None
            if row is not None:
                row.ran, row.reads_source = self._opening["ran"], self._opening["reads_source"]
                return row
        return self._ask_fresh({"tests": list(tests), "watch": watch})

    def prepare(
        self, tests: Sequence[TestFacts], ran: Sequence[str], modules: Sequence[str]
    ) -> None:
        """Take over what the baselines showed."""
        self._cpu = {t.ordinal: t.cpu_s for t in tests}
        self._wall = {t.ordinal: t.duration_s for t in tests}
        self._kept = [t.ordinal for t in tests if t.kept]
        self.ran, self.modules = frozenset(ran), tuple(modules)
        self._ready_swap()

    # -- controls

    def in_use(self, mutants: Sequence[Any]) -> list[str]:
        """Lines that mutants will take, as far as it is known: swap first."""
        asked = self._settings["strategy"]
        if asked in ("fresh", "process"):
            return [asked]
        if self._swap_refusal or not self._open_swap():
            return ["fresh"]
        return ["swap"]

    def failing_identity(self, line: str, tests: Sequence[TestFacts]) -> frozenset[int]:
        """Kept tests that fail although only the text of the source changed.

        A test that fails under swap alone shows that swapping is unsound here: the line is closed.
        """
        if line in self._checked:
            return self._checked[line]
        outcomes = self._control(line, "identity", [t.ordinal for t in tests])
        failing = frozenset(t.ordinal for t in tests if t.kept and outcomes[t.ordinal] != "passed")
        if line == "swap" and failing:
            without = self.failing_identity("fresh", tests)
            if failing - without:
                names = [tests[n].key[0] for n in sorted(failing - without)][:3]
                self._close_swap(f"differs from a fresh import on {', '.join(names)}")
                failing = without
        self._checked[line] = failing
        return failing

    def canary(self, line: str, kept: Sequence[int]) -> dict[int, str]:
        """Outcomes when every target function raises."""
        return self._control(line, "canary", kept)

    def same_alone(self, tests: Sequence[int], facts: Sequence[TestFacts]) -> bool:
        """Whether these tests pass as in the baseline when the others are left out."""
        line = "fresh" if self._swap_refusal else "swap"
        outcomes = self._control(line, "identity", tests)
        return all(outcomes[n] == facts[n].baseline for n in tests if facts[n].kept)

    def _control(self, line: str, kind: str, tests: Sequence[int]) -> dict[int, str]:
        files = {}
        for path, source in self._originals().items():
            if kind == "identity":
                changed = controls.identity_source(source)
            else:
                spare = {n.partition("::")[2] for n in self.ran if n.startswith(f"{path}::")}
                changed = controls.canary_source(source, spare)
            files[path] = changed.decode("latin-1")
        request = {"files": files, "control": True, "tests": list(tests)}
        row = None
        if line == "swap":
            row = self._ask_swap(request)
        if row is None:
            row = self._ask_fresh(request, "process" if line == "process" else "fresh")
        return {ordinal: result[0] for ordinal, result in row.results.items()}

    def _originals(self) -> dict[str, bytes]:
        if not self._sources:
            for path in self._spec.targets:
                with open(os.path.join("/trees", self._spec.tree_id, path), "rb") as file:
                    self._sources[path] = file.read()
        return self._sources

    # -- mutants

    def row(self, files: Files, tests: Sequence[int]) -> tuple[str, Row]:
        """(strategy, row) of one mutant; a row lost with its station is tried once in a process."""
        request = {"files": files, "control": False, "tests": list(tests)}
        request["one_each"] = self._settings["isolation"] == "test"
        request["stop_at"] = self._kept if self._settings["matrix"] == "first_kill" else []
        asked = self._settings["strategy"]
        try:
            if asked in ("auto", "swap") and not self._swap_refusal:
                row = self._ask_swap(request)
                if row is not None:
                    return "swap", row
            if asked == "process":
                return "process", self._ask_fresh(request, "process")
            self._vouch_fresh()
            return "fresh", self._ask_fresh(request)
        except StationLostError as error:
            self._event("station_lost", str(error).strip().splitlines()[-1])
            return "process", self._ask_fresh(request, "process")

    def _vouch_fresh(self) -> None:
        """The controls of the fresh line, once, before its first mutant."""
        if "fresh" in self._checked or "fresh-late" in self._checked or not self._kept:
            return
        outcomes = self._control("fresh", "identity", self._kept)
        bad = [n for n in self._kept if outcomes[n] != "passed"]
        killed = self._control("fresh", "canary", self._kept)
        if bad or not any(outcome in KILLING for outcome in killed.values()):
            raise RuntimeError(f"the controls fail on a fresh import: tests {bad[:5]}")
        self._checked["fresh-late"] = frozenset()

    def process(self, files: Files) -> Row:
        """The oracle: every test, in a new interpreter."""
        tests = list(range(len(self._keys)))
        return self._ask_fresh({"files": files, "tests": tests}, "process")

    # -- stations

    def _request(self, given: dict[str, Any]) -> dict[str, Any]:
        times = {"cpu": self._cpu, "wall": self._wall}
        defaults = {"files": {}, "stop_at": [], "one_each": False, "watch": False, "control": False}
        return {"confirm": bool(self._cpu), **defaults, **times, **given}

    def _ask_fresh(self, given: dict[str, Any], strategy: str = "fresh") -> Row:
        if self._fresh is None:
            spec = self._spec
            self._fresh = Station(lambda connection: serve_fresh(spec, connection), self._foreign)
            if self._keys:
                self._fresh.ask({"keys": self._keys}, _MARGIN_S)
        request = self._request(given) | {"strategy": strategy}
        try:
            return _row(self._fresh.ask(request, self._patience(request)))
        except StationLostError:
            self._fresh.close()
            self._fresh = None
            raise

    def _ask_swap(self, given: dict[str, Any]) -> Row | None:
        """None when this change cannot be swapped, or swapping is over for this suite."""
        if not self._open_swap():
            return None
        assert self._swap is not None
        request = self._request(given)
        try:
            answer = self._swap.ask(request, self._patience(request))
        except StationLostError as error:
            self._close_swap(str(error).strip().splitlines()[-1])
            raise
        return None if "unsound" in answer else _row(answer)

    def _open_swap(self) -> bool:
        if self._swap is None and not self._swap_refusal:
            spec = replace(self._spec, keys=tuple(self._keys))
            self._swap = Station(lambda connection: serve_swap(spec, connection), self._foreign)
            try:
                answer = self._swap.ask({}, 3 * self._spec.limits.collect_s + _MARGIN_S)
            except StationLostError as error:
                answer = {"unfit": str(error).strip().splitlines()[-1]}
            self._opening = answer
            if answer["unfit"]:
                self._close_swap(answer["unfit"])
            elif self._prepared:
                self._ready_swap()
        return not self._swap_refusal

    def _ready_swap(self) -> None:
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
            self._close_swap(unfit)

    def refuse_swap(self, reason: str) -> None:
        """Never swap for this suite."""
        if not self._swap_refusal:
            self._close_swap(reason)

    def _close_swap(self, reason: str) -> None:
        self._swap_refusal = reason
        self._event("no_swap", reason)
        if self._swap is not None:
            self._swap.close()
            self._swap = None

    def _patience(self, request: dict[str, Any]) -> float:
        """Longer than every limit that the station itself keeps, taken together."""
        limits = self._spec.limits
        tests = request.get("tests") or [0] * limits.tests
        each = [limits.wall_s(self._wall.get(n, 0.0)) for n in tests]
        if not self._wall:
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
