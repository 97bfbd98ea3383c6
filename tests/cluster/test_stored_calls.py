from __future__ import annotations

import pytest

from cluster.keys import begun_key, receipt_key
from cluster.stored_calls import StoredCalls

CALL = "s/a/0/0.0"


def told(verdict: str, cost: float | None = 0.5) -> dict[str, object]:
    return {"verdict": verdict, "reply": "", "cost_usd": cost, "error": ""}


def stored(*verdicts: str | None, cost: float | None = 0.5) -> StoredCalls:
    """Attempts of one call that ended so; None: without a receipt. Each could cost 2 dollars."""
    facts: dict[str, object] = {}
    for number, verdict in enumerate(verdicts, 1):
        facts[begun_key(CALL, number)] = {"bound_usd": 2.0}
        if verdict is not None:
            facts[receipt_key(CALL, number)] = told(verdict, cost)
    return StoredCalls(facts, facts)


@pytest.mark.parametrize("verdict", ["stop", "length", "refused", "empty", "unknown"])
def test_whatever_a_model_had_to_say_ends_its_call(verdict: str) -> None:
    calls = stored("error", verdict)
    for ask_lost in (False, True):
        reply = calls.reply(CALL, ask_lost)
        assert reply is not None
        assert reply["verdict"] == verdict


def test_a_call_that_only_failed_may_be_asked_again() -> None:
    assert stored("error", "error").reply(CALL) is None
    assert stored().reply(CALL) is None


def test_a_lost_receipt_ends_a_call_until_it_is_asked_for() -> None:
    assert stored("unreceipted").reply(CALL) is not None
    assert stored("unreceipted").reply(CALL, ask_lost=True) is None


def test_attempts_without_a_receipt_are_found_once() -> None:
    calls = stored("error", None)
    (lost,) = calls.unreceipted()
    assert (lost.call_id, lost.attempt) == (CALL, 2)
    calls.add({receipt_key(CALL, 2)}, {receipt_key(CALL, 2): told("unreceipted", None)})
    assert calls.unreceipted() == []
    assert calls.attempts(CALL) == 2


def test_a_cost_that_is_not_known_counts_as_much_as_it_could_be() -> None:
    assert stored("error", "stop").spent() == 1.0
    assert stored("error", "stop", cost=None).spent() == 4.0
    assert stored("stop", None).spent() == 2.5


def test_a_cell_costs_what_is_known_of_all_its_calls_or_nobody_knows() -> None:
    assert stored("error", "stop").cell_cost("s/a/0") == 1.0
    assert stored("stop", None).cell_cost("s/a/0") is None
    assert stored("stop").cell_cost("s/a/1") is None
