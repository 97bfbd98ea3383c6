"""What is measured of one suite: baselines, the two controls, rows of mutants."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from . import controls
from .judging import TestFacts
from .lines import Lines
from .outcomes import KILLING
from .rows import Row
from .stations import StationLostError

# One that fails goes on, to shrink its example: what it took when it passed says little of that.
_PROPERTY_TEST_S = 0.2
Files = dict[str, str]  # path in the tree -> Latin-1 text of its bytes


class Measurement:
    """Chooses a line for each question; lines are named `swap`, `fresh` and `process`."""

    def __init__(
        self,
        lines: Lines,
        sources: dict[str, bytes],
        settings: dict[str, Any],
        event: Callable[[str, str], None],
    ) -> None:
        self.lines = lines
        self._sources = sources
        self._settings = settings
        self._event = event
        self._kept: list[int] = []
        self._swapped: dict[tuple[str, str], list[str] | None] = {}
        self.ran: frozenset[str] = frozenset()

    # -- baselines

    def meet(self, watch: bool) -> Row:
        """First run of a suite: what it collects, and how it goes on the correct code.

        In the process that collects it for swapping, unless something is wrong with that: then a
        fresh station, which outlives whatever a suite does while it is collected, finds out what.
        """
        if self.lines.open_swap() and self.lines.opening["keys"]:
            opening = self.lines.opening
            row = Row(collected=opening["keys"], collect_errors=opening["collect_errors"])
            self.lines.keys = [(nodeid, count) for nodeid, count in opening["keys"]]
            if len(row.collected) > self._settings["limits"]["tests"]:
                return row
            run = self._swap_baseline(range(len(row.collected)), watch)
            if run is not None:
                run.collected, run.collect_errors = row.collected, row.collect_errors
                return run
            self.lines.keys = []
        return self.lines.ask_fresh({"meet": True, "watch": watch})

    def baseline(self, tests: Sequence[int], watch: bool) -> Row:
        """Another run on the correct code, in a process that has run no test before."""
        row = self._swap_baseline(tests, watch)
        return row or self.lines.ask_fresh({"tests": list(tests), "watch": watch})

    def _swap_baseline(self, tests: Sequence[int], watch: bool) -> Row | None:
        """The same as a fork of the swap station; None when there is none."""
        if not self.lines.open_swap():
            return None
        with contextlib.suppress(StationLostError):  # the line is closed and has said why
            row = self.lines.ask_swap({"tests": list(tests), "watch": watch})
            if row is not None:
                opening = self.lines.opening
                row.ran, row.reads_source = opening["ran"], opening["reads_source"]
                return row
        return None

    def prepare(
        self, tests: Sequence[TestFacts], ran: Sequence[str], modules: Sequence[str]
    ) -> None:
        """Take over what the baselines showed."""
        # What a test took that was stopped is the limit's doing: it gets the floors.
        hung = {t.ordinal for t in tests if "timeout" in t.outcomes}
        self.lines.cpu = {t.ordinal: 0.0 if t.ordinal in hung else _usual_s(t) for t in tests}
        self.lines.wall = {t.ordinal: 0.0 if t.ordinal in hung else t.duration_s for t in tests}
        self.lines.modules = tuple(modules)
        self.lines.ready_swap()
        self.ran = frozenset(ran)

    def keep(self, tests: Sequence[int]) -> None:
        """These may kill: the first kill among them ends a row that wants no more."""
        self._kept = list(tests)

    # -- controls

    def lines_for(self, mutants: Sequence[dict[str, str]]) -> list[str]:
        """The lines that these mutants take; both when there are none, since any may come later."""
        asked: str = self._settings["strategy"]
        if asked in ("fresh", "process"):
            return [asked]
        if not self.lines.open_swap():
            return ["fresh"]
        if not mutants:
            return ["swap", "fresh"]
        files = [(mutant["path"], mutant["source"]) for mutant in mutants]
        if not self._swapped:
            judged = self.lines.judge([{"path": path, "source": source} for path, source in files])
            self._swapped = dict(zip(files, judged, strict=True))
        used = {"fresh" if self._swapped[each] is None else "swap" for each in files}
        return [line for line in ("swap", "fresh") if line in used]

    def failing_identity(self, line: str, tests: Sequence[TestFacts]) -> frozenset[int]:
        """Kept tests that fail although only the text of the source changed.

        A test that fails under swap alone shows that swapping is unsound here: the line is closed.
        """
        failing = self._not_passing(line, tests)
        if line == "swap" and failing:
            without = self._not_passing("fresh", tests)
            if failing - without:
                names = [tests[n].key[0] for n in sorted(failing - without)][:3]
                self.lines.close_swap(f"differs from a fresh import on {', '.join(names)}")
            return without
        return failing

    def _not_passing(self, line: str, tests: Sequence[TestFacts]) -> frozenset[int]:
        outcomes = self._control(line, "identity", [t.ordinal for t in tests])
        return frozenset(t.ordinal for t in tests if t.kept and outcomes[t.ordinal] != "passed")

    def canary_killed(self, line: str, kept: Sequence[int]) -> bool:
        """Whether a kept test notices that every target function raises."""
        outcomes = self._control(line, "canary", kept)
        return any(outcome in KILLING for outcome in outcomes.values())

    def same_alone(self, tests: Sequence[int], facts: Sequence[TestFacts]) -> bool:
        """Whether these tests pass as in the baseline when the others are left out."""
        line = "fresh" if self.lines.swap_refusal else "swap"
        outcomes = self._control(line, "identity", tests)
        return all(outcomes[n] == facts[n].baseline for n in tests if facts[n].kept)

    def _control(self, line: str, kind: str, tests: Sequence[int]) -> dict[int, str]:
        files = {}
        for path, source in self._sources.items():
            if kind == "identity":
                changed = controls.identity_source(source)
            else:
                spare = {n.partition("::")[2] for n in self.ran if n.startswith(f"{path}::")}
                changed = controls.canary_source(source, spare)
            files[path] = changed.decode("latin-1")
        request = {"files": files, "control": True, "tests": list(tests)}
        if kind == "canary":
            request["stop_at"] = list(tests)  # one kill is enough
        row = None
        if line == "swap":
            with contextlib.suppress(StationLostError):  # the line is closed and has said why
                row = self.lines.ask_swap(request)
        if row is None:
            row = self.lines.ask_fresh(request, "process" if line == "process" else "fresh")
        return {ordinal: result[0] for ordinal, result in row.results.items()}

    # -- mutants

    def functions(self, path: str, source: str) -> list[str]:
        """Functions that a mutant changes as path::name; none when it is not inside functions."""
        names = self._swapped.get((path, source))
        if names is None:
            original = self._sources[path]
            names = list(controls.mutated_functions(original, source.encode("latin-1")))
        return [f"{path}::{name}" for name in names]

    def row(
        self, path: str, source: str, tests: Sequence[int], whole: bool = False
    ) -> tuple[str, Row]:
        """(strategy, row) of one mutant; a row lost with its station is tried once in a process.

        With `whole` no kill ends it early.
        """
        request = {"files": {path: source}, "control": False, "tests": list(tests)}
        request["one_each"] = self._settings["isolation"] == "test"
        early = self._settings["matrix"] == "first_kill" and not whole
        request["stop_at"] = self._kept if early else []
        try:
            if self._settings["strategy"] == "process":
                return "process", self.lines.ask_fresh(request, "process")
            if self._swapped.get((path, source)) and not self.lines.swap_refusal:
                row = self.lines.ask_swap(request)
                if row is not None:
                    return "swap", row
            return "fresh", self.lines.ask_fresh(request)
        except StationLostError as error:
            self._event("station_lost", str(error).strip().splitlines()[-1])
            return "process", self.lines.ask_fresh(request, "process")

    def process(self, path: str, source: str) -> Row:
        """The oracle: every test, in a new interpreter."""
        tests = list(range(len(self.lines.keys)))
        return self.lines.ask_fresh({"files": {path: source}, "tests": tests}, "process")


def _usual_s(test: TestFacts) -> float:
    """CPU time from which the limit of a test is taken."""
    return max(test.cpu_s, _PROPERTY_TEST_S) if test.uses_hypothesis else test.cpu_s
