"""Measures killgrid's full matrix against one plain pytest process per mutant."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.bars import Finding
from benchmarks.cases import REAL_PACKAGES, Case, load_cases, spread, write_tree
from benchmarks.engine import EngineRun, run_engine
from benchmarks.jail import Jail
from benchmarks.meter import Meter
from benchmarks.plain_pytest import PYTEST, variables
from cluster.ray_tasks import cache_folder
from configs.errors import InfraError
from tasks.environments import ensure_environment
from tasks.records import Mutant

BAR = 20.0
TIMEOUT_S = 600.0


def measure(meter: Meter, sample: int, limit: int | None) -> list[Finding]:
    """The median over all subjects of the config, then each subject's own ratio."""
    ratios, details = [], []
    for case in load_cases(REAL_PACKAGES, cache_folder(), (), limit):
        run = run_engine(meter, REAL_PACKAGES, case.name, limit)
        seconds = _plain_seconds(case, run, meter, sample)
        ours, theirs = run.cpu_s / len(case.mutants), statistics.mean(seconds)
        ratios.append(theirs / ours)
        details.append(
            f"{case.name} {theirs / ours:.1f}x: {1000 * ours:.1f} ms a mutant "
            f"({run.where(len(case.mutants))}), pytest {1000 * theirs:.0f} ms "
            f"({len(seconds)} of {len(case.mutants)} mutants)"
        )
    what = "full matrix against one process per mutant"
    return [Finding(what, statistics.median(ratios), BAR, "x", True, "; ".join(details))]


def _plain_seconds(case: Case, run: EngineRun, meter: Meter, sample: int) -> list[float]:
    """CPU seconds of a plain pytest process on each mutant of a sample.

    To its favour: the tree is copied once and not counted, bytecode of what is not mutated is
    kept, and mutants that hang, on which it would spend its time limit, are left to the engine.
    """
    hanging = set(run.told["hanging"])
    able = tuple(mutant for mutant in case.mutants if mutant.mutant_id not in hanging)
    with tempfile.TemporaryDirectory(prefix="killgrid-plain-") as name:
        tree = Path(name) / "tree"
        write_tree(case, tree)
        jail = Jail(ensure_environment(case.subject.environment, cache_folder()), {})
        told = variables(case)
        del told["PYTHONDONTWRITEBYTECODE"]
        command = jail.command(tree, PYTEST, told)
        if meter.run(command, timeout_s=TIMEOUT_S).returncode != 0:
            raise InfraError(f"{case.name}: its tests fail in plain pytest")
        return [_one(mutant, tree, command, meter) for mutant in spread(able, sample)]


def _one(mutant: Mutant, tree: Path, command: Sequence[str], meter: Meter) -> float:
    path = tree / mutant.path
    original = path.read_bytes()
    try:
        path.write_bytes(mutant.source)
        # Python would take the bytecode of another mutant of this second and length for its own.
        for stale in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            stale.unlink()
        measured = meter.run(command, timeout_s=TIMEOUT_S)
    finally:
        path.write_bytes(original)
    if measured.returncode not in (0, 1, 2):
        raise InfraError(f"{mutant.name}: pytest ended with {measured.returncode}")
    return measured.cpu_s
