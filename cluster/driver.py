"""Runs an experiment: plans it, takes up what is stored, and carries out the rest on Ray."""

from __future__ import annotations

import asyncio
import contextlib
import time
from pathlib import Path

from cluster.conduct import board_of, conduct
from cluster.estimates import check_prices
from cluster.keys import cell_key
from cluster.locking import only_driver
from cluster.options import RunOptions, RunSummary
from cluster.plan import Plan, make_plan
from cluster.preflight import check_nodes
from cluster.ray_session import ray_session
from cluster.ray_tasks import cache_folder
from cluster.resume import Resume
from cluster.stopping import Stopping, stopping
from configs.errors import InfraError
from configs.schema import ExperimentConfig
from storage.claims import claim
from storage.compaction import compact
from storage.manifest import Manifest, new_manifest, write_manifest
from storage.objects import open_store
from storage.units import read_index

# So many units are merged at the end of a run; fewer are read as fast.
MANY_UNITS = 20


def run_experiment(
    config: ExperimentConfig, base: Path, options: RunOptions | None = None
) -> RunSummary:
    """Run what is not stored yet of an experiment; `base` is what its paths are relative to.

    Interrupted after Ctrl-C or SIGTERM, with all finished work stored. The summary's `verify`
    tells whether the numbers may be used.
    """
    options = options or RunOptions()
    with stopping() as signals:
        plan = make_plan(config, base, cache_folder(options.cache))
        return _run(plan, options, signals)


def run_plan(plan: Plan, options: RunOptions) -> RunSummary:
    """The same for a plan that is made already."""
    with stopping() as signals:
        return _run(plan, options, signals)


def _run(plan: Plan, options: RunOptions, signals: Stopping) -> RunSummary:
    began = time.monotonic()
    check_prices(plan)
    cache = cache_folder(options.cache)
    store = open_store(options.store or plan.config.store)
    with only_driver(cache, store.uri, plan.experiment_id):
        write_manifest(store, _manifest(plan))
        # Before the index is read: what another driver stores after that is not seen here.
        claimed = claim(store, plan.experiment_id)
        resume = Resume(read_index(store, plan.experiment_id))
        before = sum(resume.done(cell_key(cell.cell_id)) for cell in plan.cells)
        board, start_s = board_of(plan, resume), 0.0
        if before < len(plan.cells):
            with ray_session(options.address, options.cpus) as session:
                signals.install()
                start_s = session.start_s
                if options.run_job is None:
                    check_nodes(options.cache)
                board = asyncio.run(conduct(plan, store, resume, options, signals, claimed))
        # What does not come about is no loss: units can be read as they are, and compacted later.
        with contextlib.suppress(InfraError):
            compact(store, plan.experiment_id, MANY_UNITS)
    return RunSummary(
        experiment_id=plan.experiment_id,
        store=store.uri,
        cells=len(plan.cells),
        done=sum(resume.done(cell_key(cell.cell_id)) for cell in plan.cells),
        done_before=before,
        missing=tuple(sorted(resume.missing().items())),
        disagreements=resume.disagreements(),
        unpaid=board.cells_unpaid,
        calls=board.calls,
        spent_usd=board.spent_usd,
        rows=board.rows_done - board.rows_begun_with,
        executions=board.executions,
        failed_attempts=board.failed,
        wall_s=time.monotonic() - began,
        ray_start_s=start_s,
    )


def _manifest(plan: Plan) -> Manifest:
    return new_manifest(
        plan.experiment_id,
        plan.config.experiment,
        plan.config.model_dump(mode="json"),
        cells=len(plan.cells),
        hashes=plan.hashes(),
    )
