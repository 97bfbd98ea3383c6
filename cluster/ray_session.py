"""Owns Ray's start and stop: a quiet local Ray of our own, or a connection to a cluster."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cluster import guard
from configs.errors import InfraError

OBJECT_STORE_BYTES = 200_000_000
# A socket's path has room for 107 characters; ours take 16 of them and Ray's own up to 64.
LONGEST_BASE = 27
REACH_S = 10.0

# Read by Ray when it starts. Without a token anyone who reaches a port of this machine could run
# code in our name; and with the mode unset Ray would leave a token in the user's home, which
# changes how later connections to other clusters behave.
LOCAL_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ROTATION_MAX_BYTES": "10000000",
    "RAY_ROTATION_BACKUP_COUNT": "1",
}

# With gRPC's defaults a node behind a cut link is missed for minutes, and so is what it was doing.
# Nodes need the same settings (deploy/); whoever has set one of them knows better.
CONNECTED_SETTINGS = {
    "RAY_grpc_client_keepalive_time_ms": "5000",
    "RAY_grpc_client_keepalive_timeout_ms": "5000",
}

AUTH_HINT = (
    "a cluster that asks for a token needs RAY_AUTH_MODE=token and the token "
    "(RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH) on every node and here"
)


@dataclass(frozen=True)
class RaySession:
    """A running Ray; `start_s` is the time its start took, reported apart from the work."""

    address: str
    local: bool
    start_s: float


@contextlib.contextmanager
def ray_session(address: str | None = None, cpus: int | None = None) -> Iterator[RaySession]:
    """Ray for the time of a `with` block.

    `address` names a cluster; else RAY_ADDRESS does, which `ray job submit` sets; else a local Ray
    is started, with `cpus` (default: all) and a folder of its own that goes with it.

    Either is done from an empty folder: Ray puts the current one first on the workers' path, where
    a user's package named `tasks` would shadow ours.
    """
    address = address or os.environ.get("RAY_ADDRESS") or None
    opened = _connected(address) if address else _started(cpus)
    with opened as session:
        yield session


@contextlib.contextmanager
def _connected(address: str) -> Iterator[RaySession]:
    import ray

    began = time.monotonic()
    _reach(address)
    settings = {k: v for k, v in CONNECTED_SETTINGS.items() if k not in os.environ}
    with _environment(settings):
        _init_connected(address)
        _hush()
        try:
            yield RaySession(address, local=False, start_s=time.monotonic() - began)
        finally:
            ray.shutdown()


def _init_connected(address: str) -> None:
    import ray

    try:
        with tempfile.TemporaryDirectory() as empty, contextlib.chdir(empty):
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        reason = f"{_first_line(error)}; {AUTH_HINT}"
        raise InfraError(f"no Ray cluster at {address}: {reason}") from error


def live_nodes() -> list[dict[str, Any]]:
    """Ray's account of each node that is alive now."""
    import ray

    nodes: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    return [node for node in nodes if node["Alive"]]


def _reach(address: str) -> None:
    """Fail in seconds where nobody answers: Ray tries for two minutes, and prints a page."""
    place = re.fullmatch(r"(?:ray://)?(\[?[^/\[\]]+\]?):(\d+)", address)
    if place is None:
        return
    try:
        socket.create_connection((place[1].strip("[]"), int(place[2])), REACH_S).close()
    except (OSError, OverflowError) as error:
        raise InfraError(f"no Ray cluster at {address}: {error}") from error


@contextlib.contextmanager
def _started(cpus: int | None) -> Iterator[RaySession]:
    began = time.monotonic()
    folder = _session_folder()
    with _guarded(folder), _environment(_local_settings()):
        import ray

        try:
            _init_local(folder, cpus or len(os.sched_getaffinity(0)))
            _hush()
            yield RaySession("local", local=True, start_s=time.monotonic() - began)
        finally:
            ray.shutdown()


def _init_local(folder: Path, cpus: int) -> None:
    import ray

    try:
        with contextlib.chdir(folder):
            ray.init(
                address="local",
                num_cpus=cpus,
                object_store_memory=OBJECT_STORE_BYTES,
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.ERROR,
                _temp_dir=str(folder),
            )
    except Exception as error:
        raise InfraError(f"Ray did not start: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _hush() -> None:
    """Ray prints a paragraph on standard output for every lost worker; the ledger has a line."""
    from ray._private import worker

    worker.print_worker_logs = lambda *_args: None


def _local_settings() -> dict[str, str]:
    settings = dict(LOCAL_SETTINGS)
    if "RAY_AUTH_MODE" not in os.environ:
        settings |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    return settings


def _session_folder() -> Path:
    base = tempfile.gettempdir()
    return Path(
        tempfile.mkdtemp(prefix="kg-ray-", dir=base if len(base) <= LONGEST_BASE else "/tmp")
    )


@contextlib.contextmanager
def _guarded(folder: Path) -> Iterator[None]:
    who = [str(os.getpid()), str(os.getsid(0))]
    command = [sys.executable, "-I", "-S", guard.__file__, str(folder), *who]
    watcher = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        assert watcher.stdin is not None
        watcher.stdin.close()
        watcher.wait()
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _environment(settings: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    _reread_settings()
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        _reread_settings()


def _reread_settings() -> None:
    """Ray reads mode and token once, at its import; this is how its own code renews them."""
    from ray._raylet import AuthenticationTokenLoader, Config  # type: ignore[attr-defined]

    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()
