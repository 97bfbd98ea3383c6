"""The driver's own account of attempts, on top of Ray, which is told to retry nothing.

A task that outlives its deadline is cancelled, first softly, then by force, and whatever it returns
is discarded: a forced cancel was seen to return as if the test had died.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from cluster.ray_tasks import Started
from cluster.standing import REST_S, Standing, away_from
from cluster.troubles import NODES_FAULT, Failed, Trouble, translated
from configs.errors import SandboxError
from tasks.results import Event

# How often it is asked whether the node of a task still lives, in seconds.
LOOK_EVERY_S = 20.0


@dataclass(frozen=True)
class RetryPolicy:
    """How often work is submitted by kind of trouble, and how long it is waited for, in seconds.

    `infra`: deadlines, InfraError, a disk that is full. `lost`: the worker or its node is gone,
    which says little of the work. `memory`: the node ran out of it. `bug`: any other exception,
    which a second try rarely helps. A task that waits `queue_s` for a free CPU is submitted anew
    and nothing is counted against it; where nodes are avoided it waits no longer than they rest.
    """

    infra: int = 3
    lost: int = 6
    memory: int = 3
    bug: int = 2
    margin_s: float = 600.0
    grace_s: float = 5.0
    queue_s: float = 1800.0
    pause_s: float = 1.0

    def attempts(self, trouble: Trouble) -> float:
        """The most attempts that may end in this trouble."""
        return float("inf") if trouble == "queue" else int(getattr(self, trouble))


class GaveUp(Exception):
    """Control flow, not an error shown to anyone: a step has used up its attempts."""

    def __init__(self, reason: str, attempts: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.attempts = attempts


@dataclass
class Account:
    """Attempts of one step of one cell: how many were begun, what ended them, in what words.

    `heard` is told of each failure at once.
    """

    step: str
    begun: int = 0
    ended: Counter[Trouble] = field(default_factory=Counter)
    events: list[Event] = field(default_factory=list)
    heard: Callable[[Event], None] | None = None

    def note(self, failed: Failed) -> None:
        """Book one failed attempt, with an event that says why."""
        self.ended[failed.trouble] += 1
        self.tell(f"attempt_{failed.trouble}", failed.detail)
        if self.heard is not None:
            self.heard(self.events[-1])

    def tell(self, kind: str, words: str) -> None:
        """Keep an event of the attempt under way."""
        detail = f"{self.step}, attempt {self.begun}: {words}"
        self.events.append(Event(time.time(), kind, detail))


async def attempt(
    account: Account,
    submit: Callable[..., Any],
    limit_s: float,
    policy: RetryPolicy,
    standing: Standing | None = None,
) -> Any:
    """The result of a task, submitted as often as the policy allows; GaveUp when it does not.

    `submit` makes a streaming task whose first value is Started and whose second is the result;
    it may take `limit_s` (plus the policy's margin) from its start. It is given Ray's options where
    the task is to be kept away from nodes: those of low `standing`, and those where it failed.
    SandboxError of a worker, where no other node is left, and the end of Ray itself are nobody's
    fault but the set-up's and go straight through.
    """
    standing, failed_on = standing or Standing(), set[str]()
    while True:
        account.begun += 1
        place = _Place()
        try:
            avoided = standing.avoided(failed_on)
            stream = submit(**away_from(avoided))
            waits = replace(policy, queue_s=min(policy.queue_s, REST_S)) if avoided else policy
            result = await _once(stream, limit_s + policy.margin_s, waits, standing, place)
        except Failed as failed:
            account.note(failed)
            if place.started is not None and failed.trouble in NODES_FAULT:
                failed_on.add(place.started.node_id)
                if standing.failed(place.started):
                    account.tell("node_rests", f"node {place.started.node}: no work for a while")
            if account.ended[failed.trouble] >= policy.attempts(failed.trouble):
                raise GaveUp(str(failed), account.begun) from None
            await asyncio.sleep(policy.pause_s * account.begun)
        else:
            assert place.started is not None
            standing.worked(place.started)
            return result


@dataclass
class _Place:
    """Where an attempt has started, once it has."""

    started: Started | None = None


async def _once(
    stream: Any, limit_s: float, policy: RetryPolicy, standing: Standing, place: _Place
) -> Any:
    try:
        started = place.started = await _next(stream, policy.queue_s, policy.grace_s)
        if started is None:
            raise Failed("queue", f"not started within {policy.queue_s:.0f} s")
        assert isinstance(started, Started)
        if refusal := standing.refusal(started):
            _cancel(stream, force=True)
            raise Failed("infra", refusal)
        try:
            result = await _next(stream, limit_s, policy.grace_s, lambda: standing.gone(started))
        except Failed as failed:
            raise Failed(failed.trouble, f"{failed} on {started.node}", failed.detail) from None
        except SandboxError as error:
            words = f"node {started.node}: {error}"
            if standing.refuse(started):
                raise Failed("infra", words) from None
            raise SandboxError(words) from error
        if result is None:
            raise Failed("infra", f"not done within {limit_s:.0f} s on {started.node}")
        return result
    except asyncio.CancelledError:
        _cancel(stream, force=True)
        raise


async def _next(
    stream: Any, limit_s: float, grace_s: float, gone: Callable[[], bool] = lambda: False
) -> Any:
    """The stream's next value, or None when it did not come in time and the task was cancelled.

    Ray may know that a node is dead and yet wait for its task: `gone` is asked now and then.
    """
    coming = asyncio.ensure_future(_take(stream))
    try:
        until = time.monotonic() + limit_s
        while (left := until - time.monotonic()) > 0 and not coming.done():
            was_gone = gone()
            await asyncio.wait({coming}, timeout=min(left, LOOK_EVERY_S))
            if was_gone and not coming.done():
                _cancel(stream, force=True)
                raise Failed("lost", "its node is dead and Ray did not end the task")
        if coming.done():
            return _opened(coming)
        for force in (False, True):
            _cancel(stream, force)
            done, _ = await asyncio.wait({coming}, timeout=grace_s)
            if done:
                break
        return None
    finally:
        coming.cancel()
        coming.add_done_callback(_forget)


async def _take(stream: Any) -> Any:
    return await (await anext(stream))


def _forget(future: asyncio.Future[Any]) -> None:
    if not future.cancelled():
        future.exception()


def _cancel(stream: Any, force: bool) -> None:
    import ray

    with contextlib.suppress(ray.exceptions.RayError, ValueError):
        ray.cancel(stream, force=force)


def _opened(future: asyncio.Future[Any]) -> Any:
    error = future.exception()
    if error is None:
        return future.result()
    raise translated(error) from error
