"""Measures whole runs on a local Ray: small suites, the share of driver and store, and memory."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.bars import Finding
from benchmarks.functions import MUTANTS, TESTS, write_experiment
from benchmarks.memory import WorkerMemory
from benchmarks.meter import Measured, Meter
from benchmarks.phases import parts
from configs.errors import InfraError

SUITES_BAR, SHARE_BAR, MEMORY_BAR = 3.0, 10.0, 250.0
TIMEOUT_S = 3600.0
BURN_S = 1.0
_NOT_OURS = "Ray's start"
_AFTER = "Ray's end"
CELLS = "cells, to the last stored row"


@dataclass(frozen=True)
class _Run:
    measured: Measured
    told: dict[str, Any]
    phases: dict[str, tuple[float, float]]

    @property
    def stored_s(self) -> tuple[float, float]:
        """(CPU, wall) seconds from the start to the last stored row, without Ray's own start."""
        counted = [taken for name, taken in self.phases.items() if name not in (_NOT_OURS, _AFTER)]
        return sum(cpu for cpu, _ in counted), sum(wall for _, wall in counted)


def measure_functions(meter: Meter, subjects: int, replicates: int) -> list[Finding]:
    """Suites of one function, from the start of the command to stored rows; memory beside it."""
    memory = WorkerMemory()
    run = _run(meter, subjects, replicates, memory)
    cpu_s, wall_s = run.stored_s
    suites, cores = run.told["cells"], len(os.sched_getaffinity(0))
    detail = (
        f"{suites} suites of {TESTS} tests x {MUTANTS} mutants, {wall_s:.1f} s x {cores} cores; "
        f"{1000 * cpu_s / suites:.0f} ms CPU a suite ({suites / cpu_s:.1f} per CPU second); "
        + ", ".join(f"{name} {cpu:.1f}" for name, (cpu, _) in run.phases.items())
    )
    found = [
        Finding("suites per core-second", suites / (wall_s * cores), SUITES_BAR, "", True, detail)
    ]
    if memory.parts:
        detail = ", ".join(f"{name} {mb:.0f}" for name, mb in memory.parts.items())
        detail += " MiB resident, shared libraries counted in each"
        found.append(
            Finding(
                "memory of a worker beside its subject",
                memory.total_mb,
                MEMORY_BAR,
                " MiB",
                False,
                detail,
            )
        )
    return found


def measure_driver(meter: Meter, units: int) -> list[Finding]:
    """What driver, Ray and store take of the wall time of units that use 1 s of CPU each.

    The share of the cores' time in which no unit is at work, and of the rest what others of our
    processes use. With nothing else on the machine that is all of the wall time but the units';
    with something else on it, it still is a share.
    """
    cores = len(os.sched_getaffinity(0))
    run = _run(meter, 1, max(1, units // cores) * cores, None, "--burn", str(BURN_S))
    cpu_s, wall_s = run.phases[CELLS]
    work_s = sum(cpu for cpu, _ in run.told["units"])
    idle = 1 - sum(wall for _, wall in run.told["units"]) / (cores * wall_s)
    beside = 1 - work_s / cpu_s
    detail = (
        f"{run.told['cells']} units of {BURN_S:g} s on {cores} cores in {wall_s:.1f} s, "
        f"{run.told['executions']:,} outcomes stored; no unit at work {100 * idle:.1f} %, "
        f"processes beside the units {100 * beside:.1f} % of CPU time"
    )
    share = 100 * (idle + (1 - idle) * beside)
    return [Finding("share of driver, Ray and store", share, SHARE_BAR, " %", False, detail)]


def _run(
    meter: Meter, subjects: int, replicates: int, memory: WorkerMemory | None, *options: str
) -> _Run:
    with tempfile.TemporaryDirectory(prefix="killgrid-bench-") as name:
        config = write_experiment(Path(name), subjects, replicates)
        command = [sys.executable, "-m", "benchmarks.ray_run", str(config)]
        measured = meter.run(
            [*command, "--store", f"{name}/store", *options],
            timeout_s=TIMEOUT_S,
            watch=memory.look if memory else None,
        )
    if measured.returncode != 0:
        raise InfraError(measured.output[-2000:])
    told = json.loads(measured.output.splitlines()[-1])
    if told["done"] != told["cells"]:
        raise InfraError(f"not every cell is done: {told}")
    ends = {name: (cpu, wall) for name, (cpu, wall) in told["phases"].items()}
    return _Run(measured, told, parts(ends))
