"""Which nodes get no work for now: one that fails fast is idle, and would draw all work to it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Set
from typing import Any

from cluster.ray_session import live_nodes
from cluster.ray_tasks import Started
from cluster.versions import own_code

# After so many failures in a row a node rests, and after the rest one more is enough.
IN_A_ROW = 3
REST_S = 300.0
# With hundreds of tasks in flight, Ray is not asked about its nodes for each of them.
LOOK_EVERY_S = 2.0


class Standing:
    """The driver's opinion of each node, by Ray's id for it. Times in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: Counter[str] = Counter()
        self._resting: dict[str, float] = {}
        self._refused: set[str] = set()
        self._alive: set[str] = set()
        self._looked = float("-inf")

    def refusal(self, started: Started) -> str:
        """Why nothing that this node brings may be used; empty where it may.

        Nodes that were there at the start are checked then; this is for those that join later. The
        driver's own node has the driver's checkout, even if somebody is editing it.
        """
        if started.code in ("", own_code()) or started.node_id == _own_node():
            return ""
        self.refuse(started)
        return f"node {started.node}: code is {started.code}, the driver's is {own_code()}"

    def refuse(self, started: Started) -> bool:
        """Give this node no more work, ever; False where that leaves none."""
        self._refused |= {started.node_id} - {""}
        return bool(self._refused) and bool(self._live() - self._refused)

    def gone(self, started: Started) -> bool:
        """Whether Ray has given up the node since."""
        return bool(started.node_id) and started.node_id not in self._live()

    def worked(self, started: Started) -> None:
        self._failures.pop(started.node_id, None)
        self._resting.pop(started.node_id, None)

    def failed(self, started: Started) -> bool:
        """Book a failure that may be the node's fault; True where it now begins to rest."""
        node = started.node_id
        self._failures[node] += 1
        resting = node in self._resting_now()
        if self._failures[node] < IN_A_ROW or resting:
            return False
        self._resting[node] = self._clock() + REST_S
        return True

    def avoided(self, also: Set[str]) -> frozenset[str]:
        """Nodes to keep a task away from: those at rest, and those where it failed already.

        Never all that are alive: then only the refused ones are left out, or none.
        """
        wanted = self._refused | self._resting_now() | also
        if not wanted - {""}:
            return frozenset()
        live = self._live()
        choices = (wanted, self._refused | self._resting_now(), self._refused)
        return next((frozenset(c & live) for c in choices if live - c), frozenset())

    def _live(self) -> set[str]:
        """Ids of the nodes that are alive, or were so a moment ago."""
        now = self._clock()
        if now - self._looked > LOOK_EVERY_S:
            self._alive = {str(node["NodeID"]) for node in live_nodes()}
            self._looked = now
        return self._alive

    def _resting_now(self) -> set[str]:
        now = self._clock()
        return {node for node, until in self._resting.items() if until > now}


def away_from(nodes: Set[str]) -> dict[str, Any]:
    """Options of a task that may run on any node but these."""
    if not nodes:
        return {}
    return {"label_selector": {"ray.io/node-id": f"!in({','.join(sorted(nodes))})"}}


def _own_node() -> str:
    import ray

    return str(ray.get_runtime_context().get_node_id())
