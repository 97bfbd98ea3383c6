from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cluster.ray_session import RaySession
from cluster.status import read_status
from configs.errors import NotFoundError
from storage.manifest import new_manifest, write_manifest
from storage.objects import open_store
from tests.cluster.plans import plan_of, run


def test_the_store_alone_says_how_far_an_experiment_is(
    tmp_path: Path, local_ray: RaySession
) -> None:
    plan = plan_of({}, {"lose": ["s1-m0"]}, {"differ": ["s2-m1"]})
    store = open_store(str(tmp_path))
    write_manifest(store, new_manifest(plan.experiment_id, "made", {}, cells=3))
    (status,) = read_status(str(tmp_path))
    assert (status.cells, status.done, status.last_commit) == (3, 0, "")
    run(plan, tmp_path)
    (status,) = read_status(str(tmp_path), "made-")
    assert (status.cells, status.done, status.finished) == (3, 2, False)
    assert status.missing == {"s1/a/0": "no row for 1 mutants: s1-m0"}
    assert status.disagreements == 1
    assert status.executions == 2 * 4 * 3 + 3 * 3
    assert status.created_at[:13] <= status.last_commit[:13]


def test_experiments_come_oldest_first_and_by_the_beginning_of_their_id(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))
    for name, minute in (("b-1", 0), ("a-2", 1), ("a-1", 1)):
        manifest = new_manifest(name, name[0], {}, cells=1)
        write_manifest(store, replace(manifest, created_at=f"2026-11-30T12:0{minute}:00+00:00"))
    assert [each.experiment_id for each in read_status(str(tmp_path))] == ["b-1", "a-1", "a-2"]
    assert [each.experiment_id for each in read_status(str(tmp_path), "b")] == ["b-1"]
    with pytest.raises(NotFoundError, match="no experiment that begins with 'c'"):
        read_status(str(tmp_path), "c")


def test_a_store_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="nowhere"):
        read_status(str(tmp_path / "nowhere"))
