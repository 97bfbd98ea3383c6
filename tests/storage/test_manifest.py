from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from configs.errors import InfraError, NotFoundError
from storage.manifest import (
    git_state,
    list_experiments,
    new_manifest,
    read_manifest,
    versions,
    write_manifest,
)
from storage.objects import LocalStore


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path / "store")


def test_a_manifest_comes_back(store: LocalStore) -> None:
    manifest = new_manifest("exp-1", "exp", {"seed": 3, "name": "\udcff"}, 12, {"tree": "ab"})
    assert write_manifest(store, manifest)
    assert read_manifest(store, "exp-1") == manifest
    assert manifest.cells == 12
    assert manifest.versions["duckdb"] == versions()["duckdb"] != "not installed"


def test_the_first_manifest_of_an_experiment_stays(store: LocalStore) -> None:
    first = new_manifest("exp-1", "exp", {}, 1)
    assert write_manifest(store, first)
    assert not write_manifest(store, new_manifest("exp-1", "exp", {}, 2))
    assert read_manifest(store, "exp-1") == first


def test_equal_configs_have_equal_hashes() -> None:
    one = new_manifest("a", "a", {"x": 1, "y": [2]}, 1)
    other = new_manifest("b", "b", {"y": [2], "x": 1}, 2)
    assert one.config_sha256 == other.config_sha256
    assert one.config_sha256 != new_manifest("a", "a", {"x": 2, "y": [2]}, 1).config_sha256


def test_only_folders_with_a_manifest_are_experiments(store: LocalStore) -> None:
    for name in ("exp-2", "exp-1"):
        write_manifest(store, new_manifest(name, "exp", {}, 1))
    store.put_if_absent("notes/todo.txt", b"")
    assert list_experiments(store) == ["exp-1", "exp-2"]


def test_a_missing_or_broken_manifest_is_named(store: LocalStore) -> None:
    with pytest.raises(NotFoundError, match=r"exp-1/manifest\.json"):
        read_manifest(store, "exp-1")
    store.put_if_absent("exp-1/manifest.json", b"{}")
    with pytest.raises(InfraError, match=r"exp-1/manifest\.json is no manifest"):
        read_manifest(store, "exp-1")


def git(folder: Path, *arguments: str) -> None:
    names = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "-C", str(folder), *names, *arguments], check=True, capture_output=True)


def test_the_state_of_a_checkout_is_its_commit_and_whether_files_differ(tmp_path: Path) -> None:
    assert git_state(tmp_path) == {}
    git(tmp_path, "init")
    (tmp_path / "file").write_text("one")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "-m", "one")
    clean = git_state(tmp_path)
    assert len(clean["commit"]) == 40
    assert not clean["dirty"]
    (tmp_path / "file").write_text("two")
    assert git_state(tmp_path) == clean | {"dirty": True}
