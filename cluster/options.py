"""What a run is told beside its config, and what it tells when it ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from cluster.ledger import RetryPolicy
from cluster.ray_tasks import RunJob
from configs.errors import SelfCheckError

SHOWN = 3


@dataclass(frozen=True)
class RunOptions:
    """How and where to run; nothing here changes a number.

    `address` of a Ray cluster, default a local Ray with `cpus` (all). `store` in place of the
    config's. `cache` folder on every node, default $KILLGRID_CACHE or the XDG cache. `progress` is
    shown on standard error. `ask_lost`: model calls whose receipt was lost are asked again, and may
    be billed twice. `run_job` stands in for `tasks.job.run_job` in tests of the driver.
    """

    address: str | None = None
    store: str | None = None
    cache: Path | None = None
    cpus: int | None = None
    progress: bool = True
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    ask_lost: bool = False
    run_job: RunJob | None = None


@dataclass(frozen=True)
class RunSummary:
    """How an experiment stands after a run. Times in seconds.

    `cells` is all that the experiment is made of and `done` how many of them are stored, of which
    `done_before` were so at the start. `rows` are mutants and `executions` single outcomes of this
    run. `missing` has a reason for each cell that was given up; `unpaid` cells wait for a larger
    budget. `disagreements` are outcomes that were not the same when a sample was run again in
    processes of their own. `calls` are attempts of model calls of this run, `spent_usd` is what all
    calls of the experiment cost so far.
    """

    experiment_id: str
    store: str
    cells: int
    done: int
    done_before: int
    missing: tuple[tuple[str, str], ...] = ()
    disagreements: int = 0
    unpaid: int = 0
    calls: int = 0
    spent_usd: float = 0.0
    rows: int = 0
    executions: int = 0
    failed_attempts: int = 0
    wall_s: float = 0.0
    ray_start_s: float = 0.0

    def verify(self) -> None:
        """SelfCheckError, in one line, when the experiment's numbers are not to be used."""
        faults = []
        if self.missing:
            first = "; ".join(f"{cell}: {reason}" for cell, reason in self.missing[:SHOWN])
            more = f"; and {len(self.missing) - SHOWN} more" if len(self.missing) > SHOWN else ""
            faults.append(f"{len(self.missing)} of {self.cells} cells are missing ({first}{more})")
        if self.disagreements:
            faults.append(
                f"{self.disagreements} outcomes were not the same in a process of their own "
                "(killgrid query events)"
            )
        if self.unpaid:
            faults.append(
                f"{self.unpaid} of {self.cells} cells were not begun, since the next call could "
                "take the spend beyond calls.budget_usd"
            )
        if faults:
            raise SelfCheckError(f"{self.experiment_id}: {' and '.join(faults)}")
