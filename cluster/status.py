"""How experiments of a store stand, from their manifests and index entries alone."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.resume import Resume
from configs.errors import NotFoundError
from storage.claims import last_driver
from storage.manifest import list_experiments, read_manifest
from storage.objects import open_store
from storage.units import read_index


@dataclass(frozen=True)
class ExperimentStatus:
    """One experiment. `missing` has reasons by cell; times are ISO 8601 in UTC, or empty.

    `disagreements` are outcomes that were not the same in a process of their own. `driver` says
    which process ran it last, which may have ended since.
    """

    experiment_id: str
    experiment: str
    created_at: str
    cells: int
    done: int
    missing: dict[str, str]
    disagreements: int
    units: int
    executions: int
    last_commit: str
    driver: str = ""

    @property
    def finished(self) -> bool:
        return self.done == self.cells


def read_status(store_uri: str, beginning: str = "") -> list[ExperimentStatus]:
    """The experiments whose id begins so, the newest last. NotFoundError when there are none."""
    store = open_store(store_uri, must_exist=True)
    ids = [name for name in list_experiments(store) if name.startswith(beginning)]
    if not ids:
        what = f"no experiment that begins with {beginning!r}" if beginning else "no experiment"
        raise NotFoundError(f"store {store.uri}: {what}")
    found = []
    for experiment_id in ids:
        manifest = read_manifest(store, experiment_id)
        index = read_index(store, experiment_id)
        resume = Resume(index)
        found.append(
            ExperimentStatus(
                experiment_id=experiment_id,
                experiment=manifest.experiment,
                created_at=manifest.created_at,
                cells=manifest.cells,
                done=resume.cells_done(),
                missing=resume.missing(),
                disagreements=resume.disagreements(),
                units=len(index.units),
                executions=index.rows.get("executions", 0),
                last_commit=resume.last_commit(),
                driver=last_driver(store, experiment_id),
            )
        )
    return sorted(found, key=lambda status: (status.created_at, status.experiment_id))
