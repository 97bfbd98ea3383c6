"""Plain functions that stand in for a worker's task, and helpers that make records.

Ray's workers import this file, so it imports nothing but what a worker may.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cluster.ray_tasks import Started
from configs.errors import InfraError, NotFoundError, SandboxError


def count(marker: Path) -> int:
    """How often this was called with the marker, this time included; across processes."""
    marker.parent.mkdir(parents=True, exist_ok=True)
    with marker.open("a") as file:
        file.write("x")
    return marker.stat().st_size


def trouble_then_answer(kind: str, times: int, marker: Path) -> Iterator[Any]:
    """A task that fails in a certain way the first `times` times and then answers 42."""
    yield Started("here", os.getpid())
    if count(marker) <= times:
        fail(kind)
    yield 42


def fail(kind: str) -> None:
    """Fail as a worker may: by an exception, or by ending."""
    if kind == "exit":
        os._exit(0)
    if kind == "infra":
        raise InfraError("host went away")
    if kind == "sandbox":
        raise SandboxError("no user namespaces")
    if kind == "missing package":
        raise NotFoundError("package nowhere==1 cannot be had")
    if kind == "memory":
        raise MemoryError
    raise ZeroDivisionError("a bug of ours")


def sleep_with_child(seconds: float, stubborn: bool, marker: Path) -> Iterator[Any]:
    """A task with a child in its own session; a stubborn one cannot be cancelled softly."""
    yield Started("here", os.getpid())
    child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    marker.write_text(f"{child.pid}")
    if stubborn:
        child.wait()
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            time.sleep(0.02)
    except BaseException:
        # As if the test under way had died of the cancel: the result must not be believed.
        yield -9
        raise
    yield 1


def hold_cpu(seconds: float, release: Path) -> Iterator[Any]:
    """A task that keeps its CPU until the file appears."""
    yield Started("here", os.getpid())
    until = time.monotonic() + seconds
    while time.monotonic() < until and not release.exists():
        time.sleep(0.02)
    yield "held"
