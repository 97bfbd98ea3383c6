"""Owns what travels to workers once and not with every task: subjects with their mutants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from cluster.packing import pack
from cluster.plan import Cell, Plan
from cluster.ray_tasks import Order, RunJob, carry_out, remote, write_suite
from configs.models import GeneratorConfig
from tasks.records import ExecutionSettings, Suite
from tasks.results import Validation


class Shipping:
    """Makes tasks of a plan's cells; a subject stays in the object store while cells need it."""

    def __init__(
        self, plan: Plan, cells: Iterable[Cell], cache: Path | None, run_job: RunJob | None
    ) -> None:
        self._plan = plan
        self._cache = cache
        self._run_job = run_job
        self._task = remote(carry_out)
        self._write = remote(write_suite)
        self._needed = Counter(cell.subject_id for cell in cells)
        self._subjects: dict[str, tuple[Any, Any]] = {}

    def ship(self, validation: Validation) -> Any:
        """A validation that many shards share, as a reference."""
        import ray

        return ray.put(validation)

    def submitter(
        self,
        cell: Cell,
        suite: Suite,
        settings: ExecutionSettings,
        chosen: tuple[int, ...],
        validation: Any,
        budget_s: float,
    ) -> Callable[..., Any]:
        """What submits a task for some of the cell's mutants, with Ray's options, if any."""
        subject, mutants = self._subject(cell.subject_id)
        order = Order(suite, chosen, settings, budget_s, self._cache, self._run_job)
        what = (subject, mutants, validation, order)
        return lambda **options: _placed(self._task, options).remote(*what)

    def generator(self, cell: Cell, writer: GeneratorConfig, seed: int) -> Callable[..., Any]:
        """What submits the writing of a suite by a generator."""
        subject, _ = self._subject(cell.subject_id)
        what = (subject, writer, seed, self._cache)
        return lambda **options: _placed(self._write, options).remote(*what)

    def release(self, cell: Cell) -> None:
        """The cell is finished with its subject."""
        self._needed[cell.subject_id] -= 1
        if not self._needed[cell.subject_id]:
            self._subjects.pop(cell.subject_id, None)

    def _subject(self, subject_id: str) -> tuple[Any, Any]:
        import ray

        if subject_id not in self._subjects:
            planned = self._plan.subjects[subject_id]
            packed = pack(planned.subject, planned.runnable)
            self._subjects[subject_id] = (ray.put(planned.subject), ray.put(packed))
        return self._subjects[subject_id]


def _placed(task: Any, options: dict[str, Any]) -> Any:
    return task.options(**options) if options else task
