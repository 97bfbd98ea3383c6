"""The scale test is the driver's own work in simulated time: nothing lost, nothing twice."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections import Counter

import pyarrow.parquet as pq
import pytest

from benchmarks import scale
from benchmarks.scale_clock import Clock, run_simulated
from benchmarks.scale_cluster import Faults
from benchmarks.scale_report import Figures, report
from storage.objects import open_store
from storage.units import orphans, read_index

SHAPE = dataclasses.replace(
    scale.QUICK, nodes=5, executions=15_000, faults=Faults(node_h=200.0, worker=0.05)
)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Figures, str]:
    folder = tmp_path_factory.mktemp("scale")
    return scale.simulate(SHAPE, str(folder / "store"), folder), str(folder / "store")


def test_a_wait_is_skipped_and_work_is_counted() -> None:
    async def work() -> float:
        loop = asyncio.get_running_loop()
        began = loop.time()
        await asyncio.sleep(10_000)
        assert 10_000 <= time.monotonic() - began < 10_001
        sum(range(3_000_000))
        return loop.time() - began - 10_000

    clock, began = Clock(), time.perf_counter()
    assert run_simulated(clock, work()) > 0.01
    assert time.perf_counter() - began < 100
    assert 0.01 < clock.cpu_s < 100


def test_what_the_simulation_does_takes_no_simulated_time() -> None:
    async def work() -> tuple[float, float]:
        clock.charge(2.0)
        began = clock.cpu_s
        with clock.apart():
            sum(range(20_000_000))
        return began, clock.cpu_s - began

    clock = Clock()
    charged, apart = run_simulated(clock, work())
    assert charged >= 2.0
    assert apart < 0.05


def test_work_in_a_thread_is_waited_for_and_not_skipped() -> None:
    async def work() -> float:
        began = time.monotonic()
        asyncio.get_running_loop().call_later(5_000, lambda: None)
        await asyncio.to_thread(sum, range(3_000_000))
        return time.monotonic() - began

    assert 0.01 < run_simulated(Clock(), work()) < 5_000


def test_every_outcome_is_stored_once_in_spite_of_lost_nodes_and_workers(
    ran: tuple[Figures, str],
) -> None:
    figures, uri = ran
    assert figures.cluster.node_failures > 0
    assert figures.cluster.worker_failures > 0
    assert figures.failed >= figures.cluster.worker_failures
    store = open_store(uri)
    (experiment_id,) = store.folders()
    index = read_index(store, experiment_id)
    assert figures.cells_done == figures.cells
    assert index.rows["cells"] == figures.cells
    assert index.rows["executions"] == figures.executions
    assert not index.repeated
    assert not orphans(store, experiment_id)
    keys = ["suite_id", "mutant_id", "test_id"]
    parts = [pq.read_table(file, columns=keys) for file in index.objects["executions"]]
    entries = Counter(tuple(row.values()) for part in parts for row in part.to_pylist())
    assert set(entries.values()) == {1}
    assert len({entry[:2] for entry in entries}) == figures.rows


def test_the_report_gives_figures_that_fit_together(ran: tuple[Figures, str]) -> None:
    figures, _ = ran
    assert 0 < figures.cpu_s < figures.wall_s
    assert figures.wall_s >= figures.busy_s / figures.cluster.total_cpus
    assert 0 < figures.utilisation(0, 1) <= 1
    whole = figures.utilisation(0, 1) * figures.wall_s * figures.cluster.total_cpus
    assert whole == pytest.approx(figures.busy_s, rel=0.01)
    assert f"{figures.executions:,} executions" in next(report(figures))
