"""Owns what a worker takes beside its subject: Ray's worker process, bubblewrap and warm host."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.meter import processes

_MIB = 1 << 20


@dataclass
class WorkerMemory:
    """Looks at a command's processes while it runs and keeps the largest worker it saw.

    `parts` are resident MiB by process: shared libraries count in full in each, so the sum is more
    than what a node loses. Stations and their children hold the subject and are left out.
    """

    parts: dict[str, float] = field(default_factory=dict)

    @property
    def total_mb(self) -> float:
        return sum(self.parts.values())

    def look(self, folder: Path | None) -> None:
        """One look at a control group; without one there is nothing to see."""
        if folder is None:
            return
        lines = {pid: _command_line(pid) for pid in processes(folder)}
        parents = {pid: _parent(pid) for pid in lines}
        for pid, line in lines.items():
            if line.startswith("ray::"):
                seen = {"Ray's worker": _resident_mb(pid)}
                seen |= _host(pid, lines, parents)
                if len(seen) > 1 and sum(seen.values()) > self.total_mb:
                    self.parts = seen


def _host(worker: int, lines: dict[int, str], parents: dict[int, int]) -> dict[str, float]:
    """The worker's bubblewrap processes and the first process of ours under them."""
    found: dict[str, float] = {}
    level = [worker]
    while level:
        level = [pid for pid, parent in parents.items() if parent in level]
        for pid in level:
            if "boot.py host" in lines[pid] and not lines[pid].startswith("bwrap"):
                program = lines[pid].split()[0].rpartition("/")[2]
                if program.startswith("python"):
                    return {**found, "warm host": _resident_mb(pid)}
        found["bubblewrap"] = found.get("bubblewrap", 0.0) + sum(map(_resident_mb, level))
    return {}


def _command_line(pid: int) -> str:
    with contextlib.suppress(OSError):
        return (
            Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        )
    return ""


def _parent(pid: int) -> int:
    with contextlib.suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def _resident_mb(pid: int) -> float:
    with contextlib.suppress(OSError):
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        return pages * 4096 / _MIB
    return 0.0
