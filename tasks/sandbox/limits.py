"""Caps on what one child may use, and the time limits of a test."""

from __future__ import annotations

import resource
from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """As `tasks.records.Limits`; times in seconds, sizes in MiB."""

    cpu_multiplier: float
    cpu_floor_s: float
    wall_floor_s: float
    confirm_factor: float
    collect_s: float
    memory_mb: int
    file_mb: int
    processes: int
    open_files: int
    tests: int

    @property
    def tmp_mb(self) -> int:
        """Size of a private tree and /tmp: several capped files fit, a flood does not."""
        return 4 * self.file_mb

    def wall_s(self, baseline_s: float) -> float:
        """Wall time a test may take; generous, since a loaded machine stretches it."""
        return max(self.wall_floor_s, 2 * self.cpu_multiplier * baseline_s)


def apply(limits: Limits) -> None:
    """Cap the calling process and all that it starts."""
    memory = limits.memory_mb * MIB
    # Private writable memory is what a runaway allocation grows; address space alone is cheap, and
    # threads reserve much of it, so its own cap is wider.
    _cap(resource.RLIMIT_DATA, memory)
    _cap(resource.RLIMIT_AS, 4 * memory)
    _cap(resource.RLIMIT_FSIZE, limits.file_mb * MIB)
    _cap(resource.RLIMIT_NOFILE, limits.open_files)
    _cap(resource.RLIMIT_NPROC, limits.processes)
    _cap(resource.RLIMIT_CORE, 0)


def _cap(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(kind, (value, value))
