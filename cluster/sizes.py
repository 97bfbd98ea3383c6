"""Owns how work is cut into tasks: 0.2-30 s each, by what the baselines took. Times in seconds."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tasks.records import ExecutionSettings
from tasks.results import Row, Validation

# The first task of a cell validates, and executes for as long as this; most suites end in it.
FIRST_BUDGET_S = 10.0
# What a shard is cut for, and when it is stopped and the rest asked for again.
SHARD_S = 15.0
SHARD_BUDGET_S = 30.0
# A task that came back without a row gets so much more time: its suite may be slow to set up here.
LONGER = 4.0
# No shard is made smaller than this to keep CPUs busy: each collects the suite anew.
LEAST_SHARD_S = 2.0
# Beside the tests themselves: a fork, a mount, the report.
ROW_S = 0.02
# Sources that one task carries to its host.
TASK_BYTES = 64_000_000
# A row never takes longer, whatever its tests' limits add up to: the host is taken for hung.
LONGEST_ROW_S = 3600.0
# Runs of the suite that validation makes beside the baselines: collection, controls, a margin.
CONTROL_RUNS = 6


def row_seconds(validation: Validation, rows: Sequence[Row]) -> float:
    """What one mutant takes: measured where rows are there, else a run of all tests that may kill.

    Tests that reach no target function are left out of most rows.
    """
    if not rows:
        return ROW_S + sum(t.duration_s for t in validation.tests if t.executed or t.always_run)
    spent = sum(entry.duration_s for row in rows for entry in row.executions)
    return ROW_S + spent / len(rows)


def setup_seconds(wall_s: float, rows: Sequence[Row], baselines_s: float = 0.0) -> float:
    """What a task spends before its first row, at most: its wall time without that of its tests.

    `baselines_s` is what its own baselines took, which later tasks of the suite do not repeat.
    """
    spent = baselines_s + sum(entry.duration_s for row in rows for entry in row.executions)
    return max(0.0, wall_s - spent)


def shards_of(
    positions: Sequence[int], row_s: float, setup_s: float, idle_cpus: int, mutant_bytes: int
) -> tuple[tuple[int, ...], ...]:
    """Mutants dealt out over shards, like cards: neighbours are often slow together.

    They are shorter where CPUs are idle that nothing else waits for, as near the end of a run; none
    is cut so short that collecting the suite anew costs more than its rows.
    """
    total = len(positions) * row_s
    count = max(
        math.ceil(total / max(SHARD_S, setup_s)),
        min(idle_cpus, int(total / max(LEAST_SHARD_S, setup_s))),
        math.ceil(len(positions) * mutant_bytes / TASK_BYTES),
        1,
    )
    count = min(count, len(positions))
    return tuple(tuple(positions[start::count]) for start in range(count))


def first_sample(count: int, mutant_bytes: int) -> tuple[int, ...]:
    """Positions of the mutants that the first task takes along: all, or as many as it can carry."""
    step = max(1, math.ceil(count * mutant_bytes / TASK_BYTES))
    return tuple(range(0, count, step))


def limit_seconds(
    settings: ExecutionSettings, validation: Validation | None, budget_s: float
) -> float:
    """How long a task may take before something must be wrong with it.

    The budget, the slowest last row, and its set-up; tests that hang are stopped much earlier by
    their own limits.
    """
    limits = settings.limits
    runs = CONTROL_RUNS + (settings.baseline_runs if validation is None else 0)
    setup = runs * (limits.collect_s + (validation.baseline_s if validation else 0.0))
    if validation is None:
        return budget_s + setup + LONGEST_ROW_S
    walls = (
        max(limits.wall_floor_s, limits.cpu_multiplier * test.duration_s)
        for test in validation.tests
    )
    row = sum(walls) * (1 + limits.confirm_factor)
    return budget_s + setup + min(row, LONGEST_ROW_S)
