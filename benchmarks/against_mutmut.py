"""Measures killgrid against `mutmut run` on the same subjects, suites and mutants, taking turns."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import mutmut_run
from benchmarks.bars import Finding
from benchmarks.cases import REAL_PACKAGES, Case, load_cases
from benchmarks.engine import EngineRun, run_engine
from benchmarks.meter import Meter
from cluster.ray_tasks import cache_folder

SUBJECTS = ("packaging", "idna", "humanize-number")
FULL_BAR, FIRST_KILL_BAR = 3.0, 5.0
TIMEOUT_S = 3600.0


@dataclass(frozen=True)
class _Round:
    """Each way once, whole processes, in turn; `one_s` is what `mutmut run` of one mutant takes."""

    full: EngineRun
    first_kill: EngineRun
    mutmut_s: float
    one_s: float
    theirs: mutmut_run.MutmutResult

    @property
    def hanging_s(self) -> float:
        """Of mutmut's time, what went on mutants that it gave up after its time limit."""
        gone = [n for n, s in self.theirs.statuses.items() if s in ("timeout", "segfault")]
        return sum(self.theirs.seconds[name] for name in gone)

    def unseen(self, run: EngineRun) -> frozenset[str]:
        """Tests that mutmut runs for no mutant: it saw none of them call a mutated function."""
        return frozenset(run.told["seconds"]).difference(*self.theirs.tests.values())


def measure(meter: Meter, rounds: int, limit: int | None) -> list[Finding]:
    """Two findings for each subject; medians of the rounds' ratios."""
    found = []
    for case in load_cases(REAL_PACKAGES, cache_folder(), SUBJECTS, limit):
        taken = [_round(case, meter, limit) for _ in range(rounds)]
        found += [_finding(case, taken, "full"), _finding(case, taken, "first_kill")]
    return found


def _round(case: Case, meter: Meter, limit: int | None) -> _Round:
    full = run_engine(meter, REAL_PACKAGES, case.name, limit, "--matrix", "full")
    whole_s, theirs = _mutmut(case, meter)
    first_kill = run_engine(meter, REAL_PACKAGES, case.name, limit, "--matrix", "first_kill")
    one_s, _ = _mutmut(replace(case, mutants=case.mutants[:1]), meter)
    return _Round(full, first_kill, whole_s, one_s, theirs)


def _mutmut(case: Case, meter: Meter) -> tuple[float, mutmut_run.MutmutResult]:
    """(CPU seconds, results) of `mutmut run` in a fresh copy."""
    with tempfile.TemporaryDirectory(prefix="killgrid-mutmut-") as name:
        folder = Path(name) / "tree"
        mutmut_run.prepare(case, folder)
        cage = mutmut_run.jail(case, cache_folder())
        measured = mutmut_run.run(case, cage, folder, meter, TIMEOUT_S)
        return measured.cpu_s, mutmut_run.read(case, folder)


def _finding(case: Case, taken: Sequence[_Round], matrix: str) -> Finding:
    full = matrix == "full"
    pairs = [(each, each.full if full else each.first_kill) for each in taken]
    count, tests = len(case.mutants), pairs[0][1].tests
    ratio = _median([theirs.mutmut_s / ours.cpu_s for theirs, ours in pairs])
    ours_ms = _median([ours.cpu_s for _, ours in pairs]) * 1000 / count
    theirs_ms = _median([theirs.mutmut_s for theirs, _ in pairs]) * 1000 / count
    detail = [
        f"{case.name}, {count} mutants x {tests} tests: {ours_ms:.1f} ms a mutant, mutmut "
        f"{theirs_ms:.1f}, median of {len(pairs)}",
        f"of the last one: {pairs[-1][1].where(count)} ms",
        _further(pairs, count),
        *_without_unseen(pairs),
        *_without_hanging(pairs),
    ]
    return Finding(
        f"{'full matrix' if full else 'first kill'} against mutmut run, {case.name}",
        ratio,
        FULL_BAR if full else FIRST_KILL_BAR,
        "x",
        True,
        "; ".join(detail),
    )


Pairs = Sequence[tuple[_Round, EngineRun]]


def _further(pairs: Pairs, count: int) -> str:
    """What each further mutant takes once everything has started."""
    ours = _median([run.rows_s / count for _, run in pairs])
    theirs = _median([(each.mutmut_s - each.one_s) / max(1, count - 1) for each, _ in pairs])
    return f"start apart {1000 * ours:.1f} and {1000 * theirs:.1f} ms: {theirs / ours:.1f}x"


def _without_unseen(pairs: Pairs) -> list[str]:
    first, run = pairs[0]
    unseen = first.unseen(run)
    if not unseen:
        return []
    rest = [each.mutmut_s / (ours.cpu_s - ours.seconds_on(unseen)) for each, ours in pairs]
    share = _median([ours.seconds_on(unseen) / ours.cpu_s for _, ours in pairs])
    return [
        f"{len(unseen)} tests, {100 * share:.0f} % of our time, are run by mutmut for no mutant: "
        f"{_median(rest):.1f}x without them"
    ]


def _without_hanging(pairs: Pairs) -> list[str]:
    hanging_s = _median([each.hanging_s for each, _ in pairs])
    if not hanging_s:
        return []
    rest = _median([(each.mutmut_s - each.hanging_s) / run.cpu_s for each, run in pairs])
    return [f"{hanging_s:.0f} s of mutmut's went on mutants that hang: {rest:.1f}x without them"]


def _median(values: Iterable[float]) -> float:
    return statistics.median(values)
