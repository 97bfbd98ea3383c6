"""Measures killgrid against `mutmut run` on the same subjects, suites and mutants, taking turns."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
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
    """CPU seconds of each way, whole processes, measured one after the other."""

    full: EngineRun
    first_kill: EngineRun
    mutmut_s: float
    hanging_s: float  # of it, on mutants that mutmut gave up after its time limit


def measure(meter: Meter, rounds: int, limit: int | None) -> list[Finding]:
    """Two findings for each subject; medians of the rounds' ratios."""
    found = []
    cache = cache_folder()
    for case in load_cases(REAL_PACKAGES, cache, SUBJECTS, limit):
        taken = [_round(case, meter, limit) for _ in range(rounds)]
        found += [_finding(case, taken, "full"), _finding(case, taken, "first_kill")]
    return found


def _round(case: Case, meter: Meter, limit: int | None) -> _Round:
    full = run_engine(meter, REAL_PACKAGES, case.name, limit, "--matrix", "full")
    with tempfile.TemporaryDirectory(prefix="killgrid-mutmut-") as name:
        folder = Path(name) / "tree"
        mutmut_run.prepare(case, folder)
        cage = mutmut_run.jail(case, cache_folder())
        theirs = mutmut_run.run(case, cage, folder, meter, TIMEOUT_S)
        result = mutmut_run.read(case, folder)
    first_kill = run_engine(meter, REAL_PACKAGES, case.name, limit, "--matrix", "first_kill")
    hanging = [n for n, status in result.statuses.items() if status in ("timeout", "segfault")]
    return _Round(full, first_kill, theirs.cpu_s, sum(result.seconds[n] for n in hanging))


def _finding(case: Case, taken: Sequence[_Round], matrix: str) -> Finding:
    full = matrix == "full"
    ours = [each.full if full else each.first_kill for each in taken]
    ratios = [a.mutmut_s / b.cpu_s for a, b in zip(taken, ours, strict=True)]
    count = len(case.mutants)
    detail = (
        f"{case.name}, {count} mutants x {ours[0].tests} tests: "
        f"{_per_mutant([each.cpu_s for each in ours], count)} against "
        f"{_per_mutant([each.mutmut_s for each in taken], count)} a mutant, median of "
        f"{len(taken)}; rows alone {_per_mutant([each.rows_s for each in ours], count)}"
    )
    hanging = statistics.median(each.hanging_s for each in taken)
    if hanging:
        without = [(a.mutmut_s - a.hanging_s) / b.cpu_s for a, b in zip(taken, ours, strict=True)]
        detail += f"; {statistics.median(without):.1f}x without mutants that hang in mutmut"
    return Finding(
        f"{'full matrix' if full else 'first kill'} against mutmut run",
        statistics.median(ratios),
        FULL_BAR if full else FIRST_KILL_BAR,
        "x",
        True,
        detail,
    )


def _per_mutant(seconds: Sequence[float], count: int) -> str:
    return f"{1000 * statistics.median(seconds) / count:.1f} ms"
