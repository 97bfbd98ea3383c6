"""Runs killgrid without Ray as a measured process, and what is read from it."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.meter import Meter
from benchmarks.phases import parts
from configs.errors import InfraError

TIMEOUT_S = 3600.0


@dataclass(frozen=True)
class EngineRun:
    """CPU seconds of the whole tree, what `engine_run` told, and what each phase took."""

    cpu_s: float
    wall_s: float
    machine_s: float
    told: dict[str, Any]
    phases: dict[str, tuple[float, float]]

    @property
    def tests(self) -> int:
        return int(self.told["tests"])

    @property
    def rows_s(self) -> float:
        """CPU seconds of the rows alone, without start, planning, baselines and storing."""
        return self.phases["rows"][0]

    def where(self, mutants: int) -> str:
        """Where the time of one mutant goes: start-up, tests, tests that hang, all around them."""
        hanging = self.told["hanging_s"]
        tests = sum(self.told["seconds"].values()) - hanging
        parts = {
            "start": self.cpu_s - self.rows_s,
            "tests": tests,
            "tests that hang": hanging,
            "around them": self.rows_s - tests - hanging,
        }
        return ", ".join(f"{name} {1000 * s / mutants:.0f}" for name, s in parts.items() if s)

    def seconds_on(self, nodeids: Collection[str]) -> float:
        """Wall seconds that these tests took in all rows together."""
        taken: dict[str, float] = self.told["seconds"]
        return sum(seconds for nodeid, seconds in taken.items() if nodeid in nodeids)


def run_engine(
    meter: Meter, config: Path, subject: str, limit: int | None, *options: str
) -> EngineRun:
    """One `engine_run`; InfraError unless it brought a row for every mutant."""
    command = [sys.executable, "-m", "benchmarks.engine_run", str(config), subject, *options]
    if limit is not None:
        command += ["--limit", str(limit)]
    measured = meter.run(command, timeout_s=TIMEOUT_S)
    if measured.returncode != 0:
        raise InfraError(f"{subject}: {measured.output[-2000:]}")
    told = json.loads(measured.output.splitlines()[-1])
    if told["status"] != "valid" or told["mutants"] != told["planned"]:
        raise InfraError(f"{subject}: not every mutant has a row: {told}")
    phases = parts({name: (cpu, wall) for name, (cpu, wall) in told["phases"].items()})
    return EngineRun(measured.cpu_s, measured.wall_s, measured.machine_s, told, phases)
