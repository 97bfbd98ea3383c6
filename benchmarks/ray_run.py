"""An experiment through killgrid on a local Ray, in a process of its own, with its phases.

    python -m benchmarks.ray_run CONFIG --store FOLDER [--cpus N] [--burn SECONDS]

prints one line of JSON: what `killgrid run` would say, and CPU seconds of the whole process tree
and wall seconds up to the end of each phase. With --burn a task uses that much CPU time and returns
rows, so that what is left over is driver, Ray and store; `units` has what each took, CPU and wall.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

from benchmarks.phases import Phases
from tasks.results import Execution, Job, JobResult, Row, Test, Validation

BURN, UNITS = "KILLGRID_BENCH_BURN_S", "KILLGRID_BENCH_UNITS"
TESTS = 50


def main() -> None:
    """See the module's text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path)
    parser.add_argument("--store", required=True)
    parser.add_argument("--cpus", type=int)
    parser.add_argument("--burn", type=float)
    args = parser.parse_args()
    phases = Phases()
    from benchmarks.cases import forget_mutants
    from cluster import driver
    from cluster.options import RunOptions
    from cluster.ray_tasks import cache_folder
    from configs.loading import load_config

    forget_mutants(cache_folder())
    units = Path(f"{args.store}.units")
    if args.burn is not None:
        os.environ[BURN], os.environ[UNITS] = str(args.burn), str(units.absolute())
        units.touch()
    phases.mark(driver, "ray_session", before="python, imports, plan")
    phases.mark(driver, "check_nodes", before="Ray's start", after="checking nodes")
    phases.mark(driver, "conduct", before="Ray's start", after="cells, to the last stored row")
    options = RunOptions(
        store=args.store,
        cpus=args.cpus,
        progress=False,
        run_job=burn if args.burn is not None else None,
    )
    summary = driver.run_experiment(load_config(args.config), args.config.parent, options)
    phases.end("Ray's end")
    told = {
        "cells": summary.cells,
        "done": summary.done,
        "rows": summary.rows,
        "executions": summary.executions,
        "failed_attempts": summary.failed_attempts,
        "disagreements": summary.disagreements,
        "units": [json.loads(line) for line in _lines(units)],
        "phases": phases.ends,
    }
    print(json.dumps(told))


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def burn(job: Job, cache: Path) -> JobResult:
    """Stands in for the engine: a given CPU time, then a full matrix of passed tests."""
    began, cpu = time.monotonic(), time.process_time()
    while time.process_time() - cpu < float(os.environ[BURN]):
        pass
    suite_id = job.suite.suite_id
    tests = tuple(
        Test(f"{suite_id}:{n:05d}", suite_id, n, f"test_{n}", True, "", ("passed",), 0.01, 0.01)
        for n in range(TESTS)
    )
    entries = tuple(Execution(n, "passed", True, 0.01, "", "") for n in range(TESTS))
    rows = tuple(Row(mutant.mutant_id, "swap", entries) for mutant in job.mutants)
    spent, took = time.process_time() - cpu, time.monotonic() - began
    with Path(os.environ[UNITS]).open("a") as file:
        file.write(f"[{spent}, {took}]\n")
    return JobResult(Validation(suite_id, "valid", "", tests), rows, (), spent, took)


if __name__ == "__main__":
    main()
