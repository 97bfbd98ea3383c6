"""One node: namespaces, address, cache and `/tmp` of its own, and Ray under a supervisor's loop."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.network import inside
from tests.faults.processes import kill, kill_in, only_child, pid_namespace, start, titled

SCRIPT = Path(__file__).with_name("node.sh")
UNSHARE = ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--uts", "--mount-proc"]
END_S = 20.0


@dataclass
class Machine:
    """A node as a machine that can be switched off and on again.

    `folder` is its disk: log and cache stay there while it is off; with `disk_mb` the cache is on a
    small disk of its own, which does not. `mounts` are laid over files: place, and what is seen
    there instead. `cores` it is held to.
    """

    name: str
    namespace: str
    folder: Path
    cache: Path
    hosts: Path
    ray_arguments: Sequence[str]
    environment: Mapping[str, str]
    mounts: Mapping[Path, Path] = field(default_factory=dict)
    cores: str = ""
    disk_mb: int = 0
    _outer: subprocess.Popen[bytes] | None = None
    pid: int = 0

    @property
    def log(self) -> Path:
        return self.folder / "node.log"

    @property
    def on(self) -> bool:
        return self._outer is not None and self._outer.poll() is None

    def start(self) -> None:
        """Switch it on; Ray takes some seconds to join."""
        own = self.folder / "cache"
        own.mkdir(parents=True, exist_ok=True)
        laid = " ".join(f"{source}:{place}" for place, source in self.mounts.items())
        words = ["bash", SCRIPT, self.name, self.hosts, self.cache, own, self.log]
        pinned = ["taskset", "-c", self.cores] if self.cores else []
        command = [*pinned, *UNSHARE, *map(str, words), *self.ray_arguments]
        environment = {**self.environment, "KG_MOUNTS": laid}
        if self.disk_mb:
            environment["KG_DISK_MB"] = str(self.disk_mb)
        with self.log.open("ab") as log:
            self._outer = start(inside(self.namespace, command), environment, log)
        self.pid = only_child(self._outer.pid)

    def kill(self) -> None:
        """Switch it off in mid-sentence: all its processes are gone at once."""
        if self._outer is not None:
            kill(self.pid)
            self._outer.wait(END_S)

    def stop(self) -> None:
        """Ask Ray to leave, as a supervisor does before a machine is taken away."""
        if self._outer is not None:
            self._outer.send_signal(0)
            os.kill(self.pid, signal.SIGTERM)
            self._outer.wait(END_S)

    def workers(self) -> list[int]:
        """Ray's workers that hold or await work, by process id; Ray's own agents are none."""
        if not self.on:
            return []
        found = titled("ray::", pid_namespace(self.pid))
        return [pid for pid, title in found if "Agent" not in title]

    def busy(self, task: str = "carry_out") -> list[int]:
        """Workers that carry out such a task of ours just now."""
        if not self.on:
            return []
        return [pid for pid, _ in titled(f"ray::{task}", pid_namespace(self.pid))]

    def kill_process(self, pid: int) -> bool:
        """kill -9 one of its processes; False when it is gone already."""
        return self.on and kill_in(pid_namespace(self.pid), pid)

    def enter(self, command: Sequence[str]) -> list[str]:
        """The command, to be run on this node."""
        return ["nsenter", "-t", str(self.pid), "--net", "--pid", "--mount", "--uts", *command]
