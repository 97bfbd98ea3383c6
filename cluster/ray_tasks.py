"""What runs in Ray's workers: one suite against some mutants, and nothing else.

A worker imports this file and what it needs of `tasks`, never `storage`: PyArrow and DuckDB would
double a worker's memory.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cluster.packing import PackedMutant, unpack
from cluster.versions import own_code

if TYPE_CHECKING:
    from configs.models import GeneratorConfig
    from tasks.generators import Generated
from tasks.records import ExecutionSettings, Subject, Suite
from tasks.results import Job, JobResult, Validation

RunJob = Callable[[Job, Path], JobResult]


@dataclass(frozen=True)
class Started:
    """The first thing a task sends: where it began. Deadlines count from its arrival.

    `node_id` is Ray's, `code` the hash of the code that it runs.
    """

    node: str
    pid: int
    node_id: str = ""
    code: str = ""


@dataclass(frozen=True)
class Order:
    """What a task is to do; subject, mutants and a validation shared by shards travel apart.

    `chosen` are positions in the subject's packed mutants. `run` stands in for
    `tasks.job.run_job` and is given by its place, not by value. `cache` is a folder on the node.
    """

    suite: Suite
    chosen: tuple[int, ...]
    settings: ExecutionSettings
    budget_s: float = 0.0
    cache: Path | None = None
    run: RunJob | None = None


def cache_folder(explicit: Path | None = None) -> Path:
    """Folder of environments and trees on this node: as told, $KILLGRID_CACHE, or the XDG cache."""
    if explicit is not None:
        return explicit
    if own := os.environ.get("KILLGRID_CACHE"):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "killgrid"


def carry_out(
    subject: Subject,
    mutants: tuple[PackedMutant, ...],
    validation: Validation | None,
    order: Order,
) -> Iterator[Started | JobResult]:
    """A task: says that it has started, then brings the result."""
    yield _started()
    picked = unpack(subject, [mutants[index] for index in order.chosen])
    job = Job(subject, order.suite, picked, order.settings, validation, order.budget_s)
    yield _run(order.run, job, cache_folder(order.cache))


def write_suite(
    subject: Subject, writer: GeneratorConfig, seed: int, cache: Path | None
) -> Iterator[Started | Generated]:
    """A task: says that it has started, then brings what a generator has written."""
    from tasks.generators import generate

    yield _started()
    yield generate(writer, subject, seed, cache_folder(cache))


def _started() -> Started:
    import ray

    node_id = ray.get_runtime_context().get_node_id()
    return Started(node_name(), os.getpid(), node_id, own_code())


def _run(run: RunJob | None, job: Job, cache: Path) -> JobResult:
    if run is not None:
        return run(job, cache)
    from tasks.job import close_hosts, run_job

    try:
        return run_job(job, cache)
    except BaseException:
        # Cut off in mid-run, by an error or a cancel: a warm host may be in any state.
        close_hosts()
        raise


def node_name() -> str:
    """This node as a person would look for it: host name and the address Ray knows it by."""
    import ray

    address: str = ray.util.get_node_ip_address()  # type: ignore[no-untyped-call]
    return f"{socket.gethostname()} ({address})"


def remote(function: Callable[..., Any]) -> Any:
    """A function as a Ray task that streams; one CPU, and no retry that we did not order."""
    import ray

    return ray.remote(num_cpus=1, max_retries=0, num_returns="streaming")(function)
