"""Owns the simulated cluster: nodes with CPUs, tasks in their order, and what goes wrong.

Tasks wait for a free CPU in the order they came, take simulated time, and end as Ray's do: with a
result, or with its exceptions when their worker or node is gone. What travels is pickled for real.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import pickle
import random
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from benchmarks.scale_clock import Clock
from benchmarks.scale_ray import Put
from cluster.ray_tasks import Started

# CPU of the driver's loop for one streaming task, in Ray's own code (docs/scaling.md).
RAY_TASK_S = 0.0009
# From a free CPU to the first line of a task; and from its end to the driver.
START_S, RETURN_S = 0.005, 0.002
# With the settings that are shipped a lost node is noticed after 9 s (docs/driver.md).
NOTICED_S, REPLACED_S = 9.0, 180.0


@dataclass(frozen=True)
class Faults:
    """`node_h`: failures of one node per hour; `worker`: share of tasks whose worker is killed."""

    node_h: float = 0.0
    worker: float = 0.0


@dataclass
class _Node:
    number: int
    node_id: str
    free: int
    tasks: set[_Task] = field(default_factory=set)
    alive: bool = True


class _Ref:
    """What a stream hands out: awaiting it unpickles the value, which is the driver's work."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.future: asyncio.Future[bytes] = loop.create_future()

    def __await__(self) -> Generator[Any, None, Any]:
        return pickle.loads((yield from self.future.__await__()))


class _Task:
    """One submitted task: the stream of two values that the driver sees, and where it runs."""

    def __init__(self, what: tuple[Any, ...], avoided: frozenset[str]) -> None:
        loop = asyncio.get_running_loop()
        self.what = what
        self.avoided = avoided
        self.node: _Node | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.began = 0.0
        self.over = False
        self._refs = (_Ref(loop), _Ref(loop))
        self._next = iter(self._refs)

    async def __anext__(self) -> _Ref:
        return next(self._next)

    def bring(self, place: int, value: bytes) -> None:
        if not self._refs[place].future.done():
            self._refs[place].future.set_result(value)

    def end(self, error: BaseException) -> None:
        for ref in self._refs:
            if not ref.future.done():
                ref.future.set_exception(error)
                ref.future.exception()  # it may be that nobody waits for it


class Cluster:
    """`nodes` of `cpus` each. `execute` gives a task's seconds and its result, from its arguments.

    `busy` has begin and end of every task, in simulated seconds; `sent` and `received` are bytes.
    """

    def __init__(
        self,
        clock: Clock,
        nodes: int,
        cpus: int,
        execute: Callable[..., tuple[float, Any]],
        faults: Faults,
        seed: int = 0,
    ) -> None:
        self._clock, self._execute, self._faults = clock, execute, faults
        self._draw = random.Random(seed)
        self._cpus = cpus
        self._ids = (f"{number:056x}" for number in itertools.count(1))
        self._nodes = [_Node(number, next(self._ids), cpus) for number in range(nodes)]
        self._waiting: deque[_Task] = deque()
        self._idle = deque(node for node in self._nodes for _ in range(cpus))
        self.busy: list[tuple[float, float]] = []
        self.first_s = 0.0
        self.tasks = self.sent = self.received = self.node_failures = self.worker_failures = 0
        self.most_waiting = self.put = 0

    @property
    def total_cpus(self) -> int:
        return len(self._nodes) * self._cpus

    def nodes(self) -> list[dict[str, Any]]:
        """`ray.nodes()`, as far as the driver reads it."""
        return [
            {"NodeID": node.node_id, "Alive": True, "Resources": {"CPU": float(self._cpus)}}
            for node in self._nodes
            if node.alive
        ]

    def submit(self, what: tuple[Any, ...], options: dict[str, Any]) -> _Task:
        """A call of a remote function."""
        self.sent += sum(len(pickle.dumps(each)) for each in what if not isinstance(each, Put))
        self._clock.charge(RAY_TASK_S)
        with self._clock.apart():
            selector = options.get("label_selector", {}).get("ray.io/node-id", "")
            avoided = frozenset(filter(None, selector.removeprefix("!in(").rstrip(")").split(",")))
            task = _Task(what, avoided)
            self.tasks += 1
            self._waiting.append(task)
            self._start_waiting()
            self.most_waiting = max(self.most_waiting, len(self._waiting))
        return task

    def cancel(self, task: _Task, force: bool = False) -> None:
        """`ray.cancel`."""
        import ray

        if not task.over:
            self._over(task)
            task.end(ray.exceptions.TaskCancelledError())

    async def fail_nodes(self) -> None:
        """Lose nodes at the rate of `faults`; each is replaced by another after a while."""
        rate = self._faults.node_h * len(self._nodes) / 3600
        while rate:
            await asyncio.sleep(self._draw.expovariate(rate))
            with self._clock.apart():
                self._lose(self._draw.choice([node for node in self._nodes if node.alive]))

    def _start_waiting(self) -> None:
        for _ in range(len(self._waiting)):
            if not self._idle:
                return
            task = self._waiting.popleft()
            node = self._free_node(task.avoided)
            if node is None:
                self._waiting.append(task)
            else:
                self._start(task, node)

    def _free_node(self, avoided: frozenset[str]) -> _Node | None:
        for _ in range(len(self._idle)):
            node = self._idle.popleft()
            if not node.alive:
                continue
            if node.node_id not in avoided:
                return node
            self._idle.append(node)
        return None

    def _start(self, task: _Task, node: _Node) -> None:
        loop = asyncio.get_running_loop()
        task.node, task.began = node, loop.time() + START_S
        self.first_s = self.first_s or task.began
        node.tasks.add(task)
        seconds, result = self._execute(*(w.value if isinstance(w, Put) else w for w in task.what))
        # Bytes: thousands of results at once are the cluster's memory, and not the driver's.
        data = pickle.dumps(result)
        started = pickle.dumps(Started(f"node{node.number}", 1, node.node_id))
        loop.call_later(START_S, self._apart, task.bring, 0, started)
        if self._draw.random() < self._faults.worker:
            after = START_S + self._draw.random() * seconds
            task.timer = loop.call_later(after, self._apart, self._kill, task)
        else:
            task.timer = loop.call_later(START_S + seconds, self._apart, self._finish, task, data)

    def _finish(self, task: _Task, data: bytes) -> None:
        self.received += len(data)
        self._over(task)
        loop = asyncio.get_running_loop()
        loop.call_later(RETURN_S, self._apart, task.bring, 1, data)

    def _kill(self, task: _Task) -> None:
        import ray

        self.worker_failures += 1
        self._over(task)
        task.end(ray.exceptions.WorkerCrashedError())

    def _lose(self, node: _Node) -> None:
        self.node_failures += 1
        node.alive = False
        loop = asyncio.get_running_loop()
        for task in list(node.tasks):
            self._over(task)
            loop.call_later(NOTICED_S, self._apart, self._noticed, task)
        loop.call_later(REPLACED_S, self._apart, self._replace, node)

    def _noticed(self, task: _Task) -> None:
        import ray

        task.end(ray.exceptions.NodeDiedError("health check failed"))

    def _replace(self, node: _Node) -> None:
        place = self._nodes.index(node)
        self._nodes[place] = _Node(node.number, next(self._ids), self._cpus)
        self._idle.extend([self._nodes[place]] * self._cpus)
        self._start_waiting()

    def _over(self, task: _Task) -> None:
        task.over = True
        if task.timer is not None:
            task.timer.cancel()
        if task.node is None:
            with contextlib.suppress(ValueError):
                self._waiting.remove(task)
            return
        now = self._clock.now()
        if now > task.began:
            self.busy.append((task.began, now))
        task.node.tasks.discard(task)
        if task.node.alive:
            self._idle.append(task.node)
            self._start_waiting()

    def _apart(self, call: Callable[..., None], *args: Any) -> None:
        with self._clock.apart():
            call(*args)
