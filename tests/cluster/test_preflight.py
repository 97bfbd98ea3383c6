from __future__ import annotations

import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from cluster import versions
from cluster.preflight import NodeReport, check_nodes, judge
from cluster.ray_session import RaySession
from cluster.versions import code_hash
from configs.errors import InfraError, SandboxError

HERE = NodeReport("here", "3.11.7", "2.60.0", "aa")


def test_nodes_like_the_driver_pass() -> None:
    judge(HERE, [HERE, replace(HERE, node="n2")])


def test_every_node_that_differs_is_named_in_one_line() -> None:
    reports = [
        HERE,
        replace(HERE, node="n2 (10.0.0.2)", code="bb"),
        replace(HERE, node="n3 (10.0.0.3)", python="3.11.9", faults=("uv is missing",)),
    ]
    with pytest.raises(InfraError) as failed:
        judge(HERE, reports, ["node n4 (10.0.0.4): no answer within 900 s"])
    text = str(failed.value)
    assert "node n2 (10.0.0.2): code is bb, the driver's is aa" in text
    assert "node n3 (10.0.0.3): uv is missing" in text
    assert "node n3 (10.0.0.3): python is 3.11.9, the driver's is 3.11.7" in text
    assert "node n4" in text
    assert "\n" not in text
    assert "node here" not in text


def test_a_node_without_a_sandbox_has_its_own_exit_code() -> None:
    with pytest.raises(SandboxError, match="node n2: no user namespaces") as failed:
        judge(HERE, [HERE, replace(HERE, node="n2", sandbox="no user namespaces")])
    assert failed.value.exit_code == 4


def test_the_code_hash_follows_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = code_hash()
    assert code_hash() == before
    monkeypatch.setattr(versions, "ROOT", tmp_path)
    for name in versions.CODE:
        (tmp_path / name).mkdir()
    (tmp_path / "tasks" / "a.py").write_text("x = 1\n")
    first = code_hash()
    (tmp_path / "tasks" / "a.py").write_text("x = 2\n")
    assert len({before, first, code_hash()}) == 3


def test_this_machine_passes_and_is_named(tmp_path: Path, local_ray: RaySession) -> None:
    cache = Path(os.environ.get("KILLGRID_CACHE") or tmp_path)
    (report,) = check_nodes(cache)
    assert report.node.startswith(socket.gethostname())
    assert report.code == code_hash()


def test_a_cache_folder_that_cannot_be_made_is_the_nodes_fault(
    tmp_path: Path, local_ray: RaySession
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InfraError, match=rf"node {socket.gethostname()} \(.*file"):
        check_nodes(tmp_path / "file" / "cache")
