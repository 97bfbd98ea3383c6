from __future__ import annotations

import asyncio

from cluster.slots import Slots


class Meter:
    """Counts how many hold a place, now and at most."""

    def __init__(self) -> None:
        self.now = 0
        self.most = 0

    async def hold(self, slots: Slots, seconds: float) -> None:
        async with slots:
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(seconds)
            self.now -= 1


def test_no_more_than_the_limit_work_at_once() -> None:
    async def run() -> int:
        slots, meter = Slots(3), Meter()
        await asyncio.gather(*[meter.hold(slots, 0.005) for _ in range(20)])
        return meter.most

    assert asyncio.run(run()) == 3


def test_more_work_at_once_after_the_cluster_grew() -> None:
    async def run() -> int:
        slots, meter = Slots(1), Meter()
        waiting = asyncio.gather(*[meter.hold(slots, 0.02) for _ in range(8)])
        await asyncio.sleep(0)
        slots.resize(4)
        await waiting
        return meter.most

    assert asyncio.run(run()) == 4


def test_less_work_at_once_after_the_cluster_shrank() -> None:
    async def run() -> tuple[int, int]:
        slots, meter = Slots(6), Meter()
        first = asyncio.gather(*[meter.hold(slots, 0.01) for _ in range(6)])
        await asyncio.sleep(0.005)
        slots.resize(2)
        await first
        later = Meter()
        await asyncio.gather(*[later.hold(slots, 0.005) for _ in range(9)])
        return meter.most, later.most

    assert asyncio.run(run()) == (6, 2)


def test_growing_back_before_places_were_given_up_forgets_the_debt() -> None:
    async def run() -> int:
        slots, meter = Slots(4), Meter()
        first = asyncio.gather(*[meter.hold(slots, 0.01) for _ in range(4)])
        await asyncio.sleep(0.005)
        slots.resize(1)
        slots.resize(5)
        await first
        await asyncio.gather(*[meter.hold(slots, 0.005) for _ in range(12)])
        return meter.most

    assert asyncio.run(run()) == 5


def test_work_that_waits_is_counted_until_it_ends_or_is_called_off() -> None:
    async def run() -> list[int]:
        slots, meter = Slots(2), Meter()
        tasks = [asyncio.ensure_future(meter.hold(slots, 10)) for _ in range(5)]
        await asyncio.sleep(0)
        seen = [slots.asked]
        for task in (tasks[4], tasks[0]):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            seen.append(slots.asked)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return [*seen, slots.asked]

    assert asyncio.run(run()) == [5, 4, 3, 0]


def test_long_work_gets_the_next_place_and_equal_work_its_turn() -> None:
    async def run() -> list[str]:
        slots, order = Slots(1), []

        async def hold(name: str, seconds: float) -> None:
            async with slots.ahead(seconds) if seconds else slots:
                order.append(name)
                await asyncio.sleep(0)

        work = [("a", 0.0), ("b", 0.0), ("c", 2.0), ("d", 9.0), ("e", 2.0), ("f", 0.0)]
        await asyncio.gather(*[hold(name, seconds) for name, seconds in work])
        return order

    assert asyncio.run(run()) == ["a", "d", "c", "e", "b", "f"]


def test_a_place_that_came_too_late_is_passed_on() -> None:
    async def run() -> int:
        slots, meter = Slots(1), Meter()
        first = asyncio.ensure_future(meter.hold(slots, 0))
        second = asyncio.ensure_future(meter.hold(slots, 10))
        third = asyncio.ensure_future(meter.hold(slots, 0))
        while not first.done():
            await asyncio.sleep(0)
        second.cancel()
        await asyncio.wait_for(third, 5)
        return slots.asked

    assert asyncio.run(run()) == 0
