"""What a simulated run came to: the figures of the driver, its cluster and its store, in lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.scale_cluster import Cluster
from storage import tables
from storage.objects import ObjectStore

TAIL = 0.05


@dataclass(frozen=True)
class StoreFigures:
    """Objects of an experiment: count and bytes of index entries and of rows."""

    entries: int
    entry_bytes: int
    largest_entry: int
    objects: int
    object_bytes: int


@dataclass(frozen=True)
class Figures:
    """One simulated run. Times in simulated seconds but for `planned_s` and `resumed_s` (CPU)."""

    cells: int
    cells_done: int
    rows: int
    executions: int
    failed: int
    planned_s: float
    planned_mb: float
    wall_s: float
    cpu_s: float
    peak_mb: float
    resumed_s: float
    cluster: Cluster
    store: StoreFigures

    @property
    def busy_s(self) -> float:
        """CPU seconds in which tasks were at work."""
        return sum(end - begin for begin, end in self.cluster.busy)

    def utilisation(self, begin: float, end: float) -> float:
        """Share of the cluster's CPUs at work between two shares of the wall time."""
        left, right = 1.0 + begin * self.wall_s, 1.0 + end * self.wall_s
        used = sum(max(0.0, min(e, right) - max(b, left)) for b, e in self.cluster.busy)
        return used / ((right - left) * self.cluster.total_cpus)


def store_figures(store: ObjectStore, experiment_id: str) -> StoreFigures:
    """What lies in a store; every object is read once."""
    sizes = [len(store.get(key)) for key in store.list(f"{experiment_id}/index/")]
    rows = [
        len(store.get(key))
        for table in tables.NAMES
        for key in store.list(f"{experiment_id}/{table}/")
    ]
    return StoreFigures(len(sizes), sum(sizes), max(sizes, default=0), len(rows), sum(rows))


def report(found: Figures) -> Iterator[str]:
    """The figures, one a line."""
    cluster, store, cpu_s = found.cluster, found.store, found.cpu_s
    tasks, cpus, tail = cluster.tasks, cluster.total_cpus, 100 * found.utilisation(1 - TAIL, 1)
    tenths = (100 * found.utilisation(n / 10, (n + 1) / 10) for n in range(10))
    yield (
        f"{found.cells_done:,} of {found.cells:,} cells, {found.rows:,} mutants, "
        f"{found.executions:,} executions"
    )
    yield f"planning: {found.planned_s:.1f} s CPU; memory then {found.planned_mb:.0f} MiB"
    yield (
        f"wall time: {found.wall_s:.1f} s simulated, at the least {found.busy_s / cpus:.1f} s on "
        f"{cpus:,} CPUs; first task after {cluster.first_s - 1.0:.2f} s"
    )
    yield (
        f"driver: {cpu_s:.1f} s CPU, {100 * cpu_s / found.wall_s:.0f} % of the wall time; "
        f"{tasks / cpu_s:.0f} tasks and {found.executions / cpu_s:,.0f} executions a CPU second; "
        f"memory at most {found.peak_mb:.0f} MiB"
    )
    yield (
        f"tasks: {tasks:,} of {found.busy_s / tasks:.2f} s, at most {cluster.most_waiting:,} "
        f"waiting; {cluster.sent / 1e6:.1f} MB sent, {cluster.put / 1e6:.1f} MB shared, "
        f"{cluster.received / 1e6:.1f} MB received"
    )
    yield (
        f"CPUs at work: {100 * found.utilisation(0, 1):.0f} %, and {tail:.0f} % in the last "
        f"{100 * TAIL:.0f} % of the wall time; by tenths " + " ".join(f"{n:.0f}" for n in tenths)
    )
    yield (
        f"failures: {cluster.node_failures} nodes, {cluster.worker_failures} workers; "
        f"{found.failed} attempts in vain"
    )
    yield (
        f"store: {store.objects:,} objects of {store.object_bytes / 1e6:.1f} MB; {store.entries:,} "
        f"index entries of {store.entry_bytes / 1e6:.2f} MB, the largest "
        f"{store.largest_entry / 1e6:.2f} MB"
    )
    yield f"taken up again: index read in {found.resumed_s:.2f} s CPU"
