from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cluster import ledger, standing
from cluster.ledger import Account, GaveUp, RetryPolicy, attempt
from cluster.ray_session import RaySession
from cluster.ray_tasks import Started, carry_out, remote
from cluster.standing import IN_A_ROW, LOOK_EVERY_S, REST_S, Standing, away_from
from cluster.versions import own_code
from tests.cluster import work

NODES = ("a", "b", "c")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    live(monkeypatch, NODES)
    monkeypatch.setattr(standing, "_own_node", lambda: "a")
    return Clock()


def live(monkeypatch: pytest.MonkeyPatch, nodes: tuple[str, ...]) -> None:
    monkeypatch.setattr(standing, "live_nodes", lambda: [{"NodeID": node} for node in nodes])


def on(node: str, code: str = "") -> Started:
    return Started(f"host-{node}", 1, node, code)


def test_a_node_rests_after_failures_in_a_row_and_no_sooner(clock: Clock) -> None:
    nodes = Standing(clock)
    told = [nodes.failed(on("b")) for _ in range(IN_A_ROW + 1)]
    assert told == [False] * (IN_A_ROW - 1) + [True, False]
    assert nodes.avoided(frozenset()) == {"b"}


def test_one_success_in_between_clears_a_node(clock: Clock) -> None:
    nodes = Standing(clock)
    for _ in range(IN_A_ROW):
        nodes.failed(on("b"))
        nodes.worked(on("b"))
    assert nodes.avoided(frozenset()) == frozenset()


def test_a_rested_node_is_tried_again_and_one_more_failure_is_enough(clock: Clock) -> None:
    nodes = Standing(clock)
    for _ in range(IN_A_ROW):
        nodes.failed(on("b"))
    clock.now += REST_S + 1
    assert nodes.avoided(frozenset()) == frozenset()
    assert nodes.failed(on("b"))
    assert nodes.avoided(frozenset()) == {"b"}


def test_work_goes_elsewhere_than_where_it_failed_as_long_as_there_is_another_node(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = Standing(clock)
    assert nodes.avoided({"a"}) == {"a"}
    for _ in range(IN_A_ROW):
        nodes.failed(on("b"))
    assert nodes.avoided({"a"}) == {"a", "b"}
    assert nodes.avoided({"a", "c"}) == {"b"}
    live(monkeypatch, ("b",))
    clock.now += LOOK_EVERY_S + 0.1
    assert nodes.avoided({"a"}) == frozenset()


def test_a_node_of_other_code_is_refused_by_name_and_stays_refused(clock: Clock) -> None:
    nodes = Standing(clock)
    assert nodes.refusal(on("b", own_code())) == ""
    assert nodes.refusal(on("a", "edited meanwhile")) == ""
    assert "host-c" in nodes.refusal(on("c", "other"))
    clock.now += 100 * REST_S
    assert nodes.avoided({"a", "b"}) == {"c"}


def test_a_node_without_a_sandbox_is_refused_where_another_is_left(clock: Clock) -> None:
    nodes = Standing(clock)
    assert [nodes.refuse(on(node)) for node in NODES] == [True, True, False]


def test_a_task_whose_node_is_dead_is_not_waited_for(
    local_ray: RaySession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    live(monkeypatch, ())
    monkeypatch.setattr(ledger, "LOOK_EVERY_S", 0.5)
    account, policy = Account("shard 1/2"), RetryPolicy(lost=2, pause_s=0.01)
    task = remote(work.hold_cpu_of)
    with pytest.raises(GaveUp, match="its node is dead"):
        asyncio.run(attempt(account, lambda: task.remote("node", tmp_path / "go"), 60, policy))
    assert account.ended == {"lost": 2}


def test_ray_keeps_a_task_away_from_a_node(local_ray: RaySession) -> None:
    import ray

    own = ray.get_runtime_context().get_node_id()
    task: Callable[..., Any] = ray.remote(num_cpus=0)(lambda: 1).options
    kept_away = task(**away_from({own})).remote()
    ready, _ = ray.wait([kept_away], timeout=2)
    assert ready == []
    ray.cancel(kept_away)
    assert ray.get(task(**away_from({"0" * 56})).remote(), timeout=30) == 1
    assert away_from(frozenset()) == {}


def test_a_task_says_where_it_runs_and_what_code(local_ray: RaySession) -> None:
    import ray

    stream = remote(carry_out).remote(None, (), None, None)
    started = ray.get(next(stream), timeout=60)
    assert started.node_id == ray.get_runtime_context().get_node_id()
    assert started.code == own_code()
