"""A budget that calls in flight cannot pass together."""

from __future__ import annotations

import asyncio
import random

import pytest

from configs.errors import BudgetError
from tasks.budget import Budget


async def spend(budget: Budget, upper: float, cost: float | None, seconds: float = 0.0) -> str:
    try:
        async with budget.reserve(upper) as hold:
            hold.begin()
            await asyncio.sleep(seconds)
            hold.settle(cost)
    except BudgetError:
        return "stopped"
    return "done"


def test_a_call_is_charged_what_it_cost() -> None:
    budget = Budget(1.0, 0.25)
    asyncio.run(spend(budget, 0.5, 0.125))
    assert (budget.spent_usd, budget.held_usd) == (0.375, 0.0)


def test_an_unknown_cost_is_charged_at_the_upper_bound() -> None:
    budget = Budget(1.0)
    asyncio.run(spend(budget, 0.5, None))
    assert budget.spent_usd == 0.5


def test_a_call_that_could_pass_the_limit_is_not_begun() -> None:
    budget = Budget(1.0, 0.75)
    assert asyncio.run(spend(budget, 0.5, 0.01)) == "stopped"
    assert asyncio.run(spend(budget, 0.25, 0.25)) == "done"
    assert budget.spent_usd == 1.0
    with pytest.raises(BudgetError, match=r"budget_usd is 1\.00"):
        asyncio.run(Budget(1.0).reserve(2.0).__aenter__())


def test_near_the_limit_calls_wait_for_one_another_instead_of_stopping() -> None:
    async def run() -> tuple[list[str], float]:
        budget = Budget(1.0)
        done = await asyncio.gather(*(spend(budget, 0.4, 0.01, 0.01) for _ in range(20)))
        return done, budget.spent_usd

    done, spent = asyncio.run(run())
    assert done == ["done"] * 20
    assert spent == pytest.approx(0.2)


def test_without_a_limit_nothing_waits_and_all_is_counted() -> None:
    async def run() -> float:
        budget = Budget()
        await asyncio.gather(*(spend(budget, 9.0, 1.0, 0.01) for _ in range(20)))
        return budget.spent_usd

    assert asyncio.run(run()) == 20.0


def test_a_hold_that_was_not_begun_costs_nothing_and_one_cut_off_costs_all() -> None:
    async def run() -> list[float]:
        budget, spent = Budget(10.0), []
        with pytest.raises(ZeroDivisionError):
            async with budget.reserve(1.0):
                raise ZeroDivisionError
        spent.append(budget.spent_usd)
        task = asyncio.create_task(spend(budget, 2.0, 0.1, 60))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return [*spent, budget.spent_usd, budget.held_usd]

    assert asyncio.run(run()) == [0.0, 2.0, 0.0]


def test_one_who_waits_and_is_cancelled_leaves_nothing_held() -> None:
    async def run() -> tuple[str, float]:
        budget = Budget(1.0)
        first = asyncio.create_task(spend(budget, 0.8, 0.1, 0.05))
        await asyncio.sleep(0.01)
        second = asyncio.create_task(spend(budget, 0.8, 0.1))
        await asyncio.sleep(0.01)
        second.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        return await spend(budget, 0.9, 0.9), budget.spent_usd

    assert asyncio.run(run()) == ("done", 1.0)


@pytest.mark.parametrize("seed", range(5))
def test_whatever_calls_cost_they_never_pass_the_limit_together(seed: int) -> None:
    dice = random.Random(seed)

    async def one(budget: Budget) -> str:
        upper = dice.uniform(0.01, 0.3)
        cost = dice.choice([None, upper, upper / 10])
        done = await spend(budget, upper, cost, dice.uniform(0, 0.003))
        assert budget.spent_usd <= 1.0 + 1e-9
        return done

    async def run() -> list[str]:
        budget = Budget(1.0)
        return await asyncio.gather(*(one(budget) for _ in range(60)))

    done = asyncio.run(run())
    assert {"done", "stopped"} == set(done)
