"""A cluster on one machine, and all that can befall it in a night."""

from __future__ import annotations

import contextlib
import json
import random
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tasks.environments import ensure_environment
from tasks.records import Environment
from tests.faults.driver import Driver
from tests.faults.machine import Machine
from tests.faults.network import Network, inside
from tests.faults.processes import tail, wait_until
from tests.faults.s3 import S3
from tests.storage.s3_servers import KEY_ID, SECRET

ROOT = Path(__file__).parents[2]
PORT = 6379
NODE_MEMORY = 2_000_000_000
JOIN_S, ANSWER_S = 300.0, 30.0


@dataclass(frozen=True)
class Oddity:
    """What is not as it should be on a node: see Machine; `settings` are variables of its Ray."""

    mounts: Mapping[Path, Path] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    cores: str = ""
    disk_mb: int = 0


class Night:
    """A cluster of `nodes` machines of one CPU, the first of them the head, and an S3 server."""

    def __init__(
        self,
        nodes: int = 3,
        s3: bool = True,
        odd: Mapping[int, Oddity] | None = None,
        seed: int = 0,
    ) -> None:
        self.network = Network(nodes)
        self.machines: list[Machine] = []
        self.s3: S3 | None = None
        self._with_s3 = s3
        self.draw = random.Random(seed)
        self._odd = odd or {}
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Night:
        with contextlib.ExitStack() as stack:
            # Not in /tmp: nodes have one of their own.
            made = tempfile.mkdtemp(prefix="kgfaults-", dir="/var/tmp")
            self.folder = Path(made)
            stack.callback(shutil.rmtree, self.folder, ignore_errors=True)
            self.cache = self.folder / "cache"
            (self.folder / "token").write_text(secrets.token_hex(32))
            ensure_environment(Environment(), self.cache)
            stack.enter_context(self.network)
            self._hosts()
            if self._with_s3:
                self.s3 = S3(self.folder / "s3")
                stack.enter_context(self.s3.running(self.network.hub, self.environment))
            stack.callback(self._switch_off)
            for node in range(self.network.nodes):
                self._add(node)
                self.machines[node].start()
            self.wait_for(self.network.nodes)
            self._open = stack.pop_all()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._open.close()

    @property
    def address(self) -> str:
        return f"{self.network.address(0)}:{PORT}"

    @property
    def environment(self) -> dict[str, str]:
        """What nodes, driver and queries are told; nothing of this machine's own settings."""
        return {
            "RAY_AUTH_MODE": "token",
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_AUTH_TOKEN_PATH": str(self.folder / "token"),
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": "/tmp",
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(ROOT),
            "KILLGRID_CACHE": str(self.cache),
            "AWS_ACCESS_KEY_ID": KEY_ID,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def store(self, name: str) -> str:
        """A store of this night, for all nodes."""
        return S3.store(name) if self.s3 else str(self.folder / "stores" / name)

    def nodes(self) -> list[dict[str, object]]:
        """Ray's account of all nodes there ever were; empty when the head does not answer."""
        command = [sys.executable, "-m", "tests.faults.alive", self.address]
        try:
            done = self.ask(inside(self.network.namespace(0), command), ANSWER_S)
        except subprocess.TimeoutExpired:
            return []
        return json.loads(done.stdout) if done.returncode == 0 else []

    def wait_for(self, count: int, within_s: float = JOIN_S) -> float:
        """Seconds until so many nodes are alive and no more; RuntimeError when it takes longer."""
        began = time.monotonic()
        if not wait_until(lambda: self._alive() == count, within_s, 0.5):
            logs = "\n".join(f"{m.name}: {tail(m.log)}" for m in self.machines)
            raise RuntimeError(f"{self._alive()} of {count} nodes after {within_s:.0f} s\n{logs}")
        return time.monotonic() - began

    def _alive(self) -> int:
        return sum(bool(node["alive"]) for node in self.nodes())

    # What can befall it.

    def kill_node(self, node: int) -> None:
        self.machines[node].kill()

    def restart_node(self, node: int) -> None:
        self.machines[node].start()

    def cut_link(self, node: int) -> None:
        self.network.cut(node)

    def restore_link(self, node: int) -> None:
        self.network.restore(node)

    def kill_worker(self, node: int | None = None) -> bool:
        """kill -9 a Ray worker drawn at random, on one node or on any; False when there is none."""
        chosen = self.machines if node is None else [self.machines[node]]
        found = [(machine, pid) for machine in chosen for pid in machine.workers()]
        if not found:
            return False
        machine, pid = self.draw.choice(found)
        return machine.kill_process(pid)

    def fill_disk(self, node: int) -> None:
        """Leave no room in the node's cache, nor any subject; it must be on a disk of its own."""
        self.ask(self.machines[node].enter(["rm", "-rf", f"{self.cache}/trees"]), 20)
        command = ["dd", "if=/dev/zero", f"of={self.cache}/filler", "bs=1M", "count=10000"]
        told = self.ask(self.machines[node].enter(command), 60)
        if "No space left" not in told.stderr:
            raise RuntimeError(f"the disk of node {node} is not full: {told.stderr}")

    def empty_disk(self, node: int) -> None:
        """Make room again."""
        self.ask(self.machines[node].enter(["rm", "-f", f"{self.cache}/filler"]), 20)

    def drain(self, node: int, within_s: int) -> None:
        """Tell Ray that the node will be taken away, as on a spot notice."""
        address = self.network.address(node)
        ids = [each["id"] for each in self.nodes() if each["address"] == address and each["alive"]]
        command = ["ray", "drain-node", f"--address={self.address}", f"--node-id={ids[0]}"]
        command += ["--reason=DRAIN_NODE_REASON_PREEMPTION", "--reason-message=spot notice"]
        command += [f"--deadline-remaining-seconds={within_s}"]
        told = self.ask(self.machines[node].enter(command), 60)
        if told.returncode:
            raise RuntimeError(f"node {node} is not drained: {told.stdout}{told.stderr}")

    # What people do on it.

    def drive(self, command: Sequence[str], log: Path) -> Driver:
        """Start a command on the head."""
        return Driver(self.machines[0], command, self.environment, log)

    def in_hub(self, command: Sequence[str], within_s: float) -> subprocess.CompletedProcess[str]:
        """Run a command beside the S3 server."""
        return self.ask(inside(self.network.hub, command), within_s)

    def ask(self, command: Sequence[str], within_s: float) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            env=self.environment,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=within_s,
            check=False,
        )

    def _add(self, node: int) -> None:
        address = self.network.address(node)
        common = [
            "--disable-usage-stats",
            f"--node-ip-address={address}",
            "--num-cpus=1",
            "--object-store-memory=200000000",
            f"--memory={NODE_MEMORY}",
        ]
        role = ["--head", f"--port={PORT}", "--include-dashboard=false"]
        folder, odd = self.folder / f"node{node}", self._odd.get(node, Oddity())
        shutil.copytree(self.cache, folder / "cache", symlinks=True)
        self.machines.append(
            Machine(
                name=f"kgnode{node}",
                namespace=self.network.namespace(node),
                folder=folder,
                cache=self.cache,
                hosts=self.folder / "hosts",
                ray_arguments=[*common, *(role if node == 0 else [f"--address={self.address}"])],
                environment={**self.environment, **shipped_settings(), **odd.settings},
                mounts=odd.mounts,
                cores=odd.cores,
                disk_mb=odd.disk_mb,
            )
        )

    def _hosts(self) -> None:
        lines = ["127.0.0.1 localhost"]
        lines += [f"{self.network.address(n)} kgnode{n}" for n in range(self.network.nodes)]
        (self.folder / "hosts").write_text("\n".join(lines) + "\n")

    def _switch_off(self) -> None:
        for machine in self.machines:
            machine.kill()


def shipped_settings() -> dict[str, str]:
    """The settings of Ray that deploy/ ships for nodes; a driver brings its own."""
    lines = (ROOT / "deploy" / "ray.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
