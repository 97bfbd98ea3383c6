"""Limits of a provider, and the patience of a call."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest

from tasks.pacing import CallPolicy, Gate, Patience

POLICY = CallPolicy(attempts=4, deadline_s=100.0, attempt_s=60.0, backoff_s=1.0, backoff_max_s=5.0)


def state(attempt: int, pause: float = 0.0) -> Any:
    return SimpleNamespace(attempt_number=attempt, upcoming_sleep=pause)


def test_calls_in_flight_are_bounded() -> None:
    async def run() -> int:
        gate, inside, most = Gate(3, None), 0, 0

        async def one() -> None:
            nonlocal inside, most
            async with gate.slot():
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0.001)
                inside -= 1

        await asyncio.gather(*(one() for _ in range(20)))
        return most

    assert asyncio.run(run()) == 3


def test_requests_are_spaced_evenly_and_the_first_leaves_at_once() -> None:
    async def run() -> list[float]:
        gate, begun = Gate(100, 1200), time.monotonic()

        async def one() -> float:
            await gate.turn()
            return time.monotonic() - begun

        return sorted(await asyncio.gather(*(one() for _ in range(5))))

    at = asyncio.run(run())
    assert at[0] < at[-1] - 0.15
    assert all(each >= number * 0.05 - 0.005 for number, each in enumerate(at))


def test_pauses_grow_are_jittered_and_are_capped() -> None:
    pauses = [Patience(POLICY, "c").pause_s(state(n)) for n in range(1, 8)]
    for pause, whole in zip(pauses, [1, 2, 4, 5, 5, 5, 5], strict=True):
        assert whole / 2 <= pause <= whole


def test_a_call_pauses_alike_whenever_it_is_made_and_two_calls_do_not() -> None:
    assert Patience(POLICY, "c").pause_s(state(1)) == Patience(POLICY, "c").pause_s(state(1))
    assert len({Patience(POLICY, f"c{n}").pause_s(state(1)) for n in range(20)}) == 20


def test_a_server_that_asks_for_more_time_gets_it_and_for_less_does_not_shorten() -> None:
    patience = Patience(POLICY, "c")
    patience.wish_s = 30.0
    assert 30.0 <= patience.pause_s(state(1)) <= 33.0
    patience.wish_s = 0.0
    assert patience.pause_s(state(3)) >= 2.0


def test_it_is_over_when_tries_or_time_run_out() -> None:
    patience = Patience(POLICY, "c")
    assert [patience.over(state(n)) for n in (1, 3, 4)] == [False, False, True]
    assert not patience.over(state(1, 99.0))
    assert patience.over(state(1, 100.0))
    patience.spend(60.0)
    assert patience.over(state(1, 40.0))
    assert patience.try_s == 40.0
    patience.spend(60.0)
    assert patience.left_s == 0.0


def test_a_try_takes_no_longer_than_its_own_limit() -> None:
    assert Patience(POLICY, "c").try_s == 60.0


def test_pauses_are_on_the_calls_own_time() -> None:
    patience = Patience(POLICY, "c")
    asyncio.run(patience.pause(0.001))
    assert patience.left_s == pytest.approx(99.999)
