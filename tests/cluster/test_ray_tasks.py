from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cluster.packing import pack
from cluster.ray_session import RaySession
from cluster.ray_tasks import Order, Started, cache_folder, carry_out, node_name
from tasks.records import ExecutionSettings
from tasks.results import Job, JobResult
from tests.cluster import work
from tests.cluster.plans import plan_of, subject_of


def test_a_worker_loads_neither_the_store_nor_what_it_needs() -> None:
    program = (
        "import sys, cluster.ray_tasks, tasks.job\n"
        "print(sorted({'storage', 'pyarrow', 'duckdb', 'pydantic', 'rich'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout == "[]\n"


def test_a_task_says_first_where_it_started_and_gives_its_job_the_chosen_mutants(
    tmp_path: Path, local_ray: RaySession
) -> None:
    seen: list[tuple[Job, Path]] = []

    def run(job: Job, cache: Path) -> JobResult:
        seen.append((job, cache))
        return work.measure(job, cache)

    planned = subject_of("s0", mutants=5)
    suite = plan_of({}).cells[0].suite
    order = Order(suite, (3, 1), ExecutionSettings(), 7.0, tmp_path, run)
    stream = carry_out(planned.subject, pack(planned.subject, planned.runnable), None, order)
    started: Any = next(stream)
    assert isinstance(started, Started)
    assert started.node == node_name()
    assert seen == []
    result = next(stream)
    assert isinstance(result, JobResult)
    ((job, cache),) = seen
    assert job.mutants == (planned.runnable[3], planned.runnable[1])
    assert (job.budget_s, cache) == (7.0, tmp_path)
    assert [row.mutant_id for row in result.rows] == ["s0-m3", "s0-m1"]


def test_each_node_has_a_cache_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KILLGRID_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == Path.home() / ".cache" / "killgrid"
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache")
    assert cache_folder() == Path("/var/cache/killgrid")
    monkeypatch.setenv("KILLGRID_CACHE", "/scratch/kg")
    assert cache_folder() == Path("/scratch/kg")
    assert cache_folder(Path("/told")) == Path("/told")
