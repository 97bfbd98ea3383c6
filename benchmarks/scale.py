"""Runs the driver for 1,000 nodes and 10 million executions, of which only the tests are not real.

`python -m benchmarks.scale [--nodes N] [--cpus M] [--executions E] [--quick]`: the planner, the
ledger, the units and the store are those of a run; in place of Ray stands a simulated cluster.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.scale_clock import Clock, run_simulated
from benchmarks.scale_cluster import Cluster, Faults
from benchmarks.scale_ray import in_place_of_ray
from benchmarks.scale_report import Figures, report, store_figures
from benchmarks.scale_work import execute, write_experiment
from cluster.board import Board
from cluster.conduct import conduct
from cluster.ledger import RetryPolicy
from cluster.options import RunOptions
from cluster.plan import Plan, make_plan
from cluster.resume import Resume
from cluster.stopping import Stopping
from configs.loading import load_config
from storage.objects import ObjectStore, open_store
from storage.units import read_index


@dataclass(frozen=True)
class Shape:
    """How large the simulation is. `pace` multiplies the durations of tests."""

    nodes: int = 1000
    cpus: int = 4
    executions: int = 10_000_000
    small_share: float = 0.25
    pace: float = 10.0
    faults: Faults = field(default_factory=Faults)


QUICK = Shape(
    nodes=20,
    cpus=4,
    executions=60_000,
    small_share=0.5,
    pace=1.0,
    faults=Faults(node_h=20.0, worker=0.01),
)


def simulate(shape: Shape, store_uri: str, folder: Path) -> Figures:
    """Plan, run and take up again one experiment in `store_uri`; `folder` is for its files."""
    began = time.process_time()
    config = write_experiment(folder, store_uri, shape.executions, shape.small_share, shape.pace)
    written_s = time.process_time() - began
    plan = make_plan(load_config(config), folder, folder / "cache")
    planned_s = time.process_time() - began - written_s
    planned_mb = peak_mb()
    store = open_store(store_uri)
    clock = Clock()
    cluster = Cluster(clock, shape.nodes, shape.cpus, execute, shape.faults)
    with in_place_of_ray(cluster):
        board, wall_s, cpu_s = run_simulated(clock, _run(plan, store, cluster, clock))
    resumed = _resume(plan, store)
    return Figures(
        cells=len(plan.cells),
        cells_done=board.cells_done,
        rows=board.rows_done,
        executions=board.executions,
        failed=board.failed,
        planned_s=planned_s,
        planned_mb=planned_mb,
        wall_s=wall_s,
        cpu_s=cpu_s,
        peak_mb=peak_mb(),
        resumed_s=resumed,
        cluster=cluster,
        store=store_figures(store, plan.experiment_id),
    )


async def _run(
    plan: Plan, store: ObjectStore, cluster: Cluster, clock: Clock
) -> tuple[Board, float, float]:
    resume = Resume(read_index(store, plan.experiment_id))
    options = RunOptions(progress=False, retry=RetryPolicy())
    failing = asyncio.ensure_future(cluster.fail_nodes())
    try:
        board = await conduct(plan, store, resume, options, Stopping())
        return board, clock.now() - 1.0, clock.cpu_s
    finally:
        failing.cancel()


def _resume(plan: Plan, store: ObjectStore) -> float:
    """CPU seconds in which the same command finds that nothing is left to do."""
    began = time.process_time()
    resume = Resume(read_index(store, plan.experiment_id))
    done = resume.cells_done()
    assert done == len(plan.cells) - len(resume.missing()), "the store lacks cells"
    return time.process_time() - began


def peak_mb() -> float:
    """Most MiB of memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=Shape.nodes)
    parser.add_argument("--cpus", type=int, default=Shape.cpus, help="of each node")
    parser.add_argument("--executions", type=int, default=Shape.executions)
    parser.add_argument("--small", type=float, default=Shape.small_share, help="share, 0 to 1")
    parser.add_argument("--pace", type=float, default=Shape.pace, help="multiplies durations")
    parser.add_argument("--node-failures", type=float, default=0.1, help="of one node per hour")
    parser.add_argument("--worker-failures", type=float, default=0.001, help="share of tasks")
    parser.add_argument("--store", help="default: a temporary folder")
    parser.add_argument("--quick", action="store_true", help="20 nodes, 60,000 executions")
    told = parser.parse_args()
    faults = Faults(told.node_failures, told.worker_failures)
    shape = Shape(told.nodes, told.cpus, told.executions, told.small, told.pace, faults)
    with tempfile.TemporaryDirectory(prefix="killgrid-scale-") as name:
        store = told.store or f"{name}/store"
        figures = simulate(QUICK if told.quick else shape, store, Path(name))
    print("\n".join(report(figures)))
    return 0 if figures.cells_done == figures.cells else 1


if __name__ == "__main__":
    sys.exit(main())
