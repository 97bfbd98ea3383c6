"""Owns the network: a bridge in a namespace of its own, and a namespace with an address a node.

Nothing here touches an interface, route or address of the machine itself: both ends of every link
are made inside our own namespaces, which have no way out.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

NETNS = Path("/run/netns")
PREFIX = "kgfaults"
SUBNET = "10.77.0"
HUB_ADDRESS = f"{SUBNET}.1"
COMMAND_S = 20.0
_serials = itertools.count()


class Network:
    """Namespaces `kgfaults-<pid>-<serial>-hub` and `...-<node>`; a bridge in the hub joins them."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes
        self._stem = f"{PREFIX}-{os.getpid()}-{next(_serials)}"
        self.hub = f"{self._stem}-hub"

    def namespace(self, node: int) -> str:
        """Name of a node's network namespace."""
        return f"{self._stem}-{node}"

    def address(self, node: int) -> str:
        """A node's own address."""
        return f"{SUBNET}.{10 + node}"

    def __enter__(self) -> Network:
        remove_leftovers()
        try:
            _add_hub(self.hub)
            for node in range(self.nodes):
                self._add_node(node)
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_exc: object) -> None:
        self.remove()

    def remove(self) -> None:
        for name in [*map(self.namespace, range(self.nodes)), self.hub]:
            _delete(name)

    def cut(self, node: int) -> None:
        """Nothing reaches the node any more, and nothing that it sends arrives."""
        ip("-n", self.hub, "link", "set", f"node{node}", "down")

    def restore(self, node: int) -> None:
        ip("-n", self.hub, "link", "set", f"node{node}", "up")

    def _add_node(self, node: int) -> None:
        name, port = self.namespace(node), f"node{node}"
        ip("netns", "add", name)
        peer = ["peer", "name", "eth0", "netns", name]
        ip("-n", self.hub, "link", "add", port, "type", "veth", *peer)
        ip("-n", self.hub, "link", "set", port, "master", "bridge0", "up")
        ip("-n", name, "address", "add", f"{self.address(node)}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            ip("-n", name, "link", "set", device, "up")


def inside(namespace: str, command: Sequence[str]) -> list[str]:
    """The command, to be run in a network namespace."""
    return ["ip", "netns", "exec", namespace, *command]


def ip(*words: str) -> None:
    """Run `ip`; RuntimeError with its words when it fails."""
    done = subprocess.run(
        ["ip", *words], capture_output=True, text=True, timeout=COMMAND_S, check=False
    )
    if done.returncode:
        raise RuntimeError(f"ip {' '.join(words)}: {done.stderr.strip()}")


def possible() -> str:
    """Why such networks cannot be made here; empty where they can."""
    if os.geteuid() != 0:
        return "only root can make network namespaces"
    probe = f"{PREFIX}-{os.getpid()}-probe"
    try:
        _add_hub(probe)
    except (OSError, RuntimeError) as error:
        return str(error)
    finally:
        _delete(probe)
    return ""


def remove_leftovers() -> None:
    """Namespaces of runs whose process is gone; the kernel has ended theirs with it."""
    for path in NETNS.glob(f"{PREFIX}-*-*"):
        owner = path.name.split("-")[1]
        if owner.isdigit() and not Path("/proc", owner).exists():
            _delete(path.name)


def _add_hub(name: str) -> None:
    ip("netns", "add", name)
    ip("-n", name, "link", "add", "bridge0", "type", "bridge")
    ip("-n", name, "address", "add", f"{HUB_ADDRESS}/24", "dev", "bridge0")
    for device in ("lo", "bridge0"):
        ip("-n", name, "link", "set", device, "up")


def _delete(name: str) -> None:
    if (NETNS / name).exists():
        with contextlib.suppress(RuntimeError):
            ip("netns", "delete", name)
