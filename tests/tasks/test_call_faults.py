"""Every fault of a model server in every wire format: verdict, attempts, receipts and cost."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from configs.errors import BudgetError
from tasks.budget import Budget
from tasks.extraction import UNCLOSED, extract
from tasks.model_records import Intent, Receipt
from tasks.pacing import CallPolicy
from tests.fake_provider import WIRES, FakeProvider, Wire
from tests.tasks.call_faults import (
    CASES,
    ENDLESS,
    HASTY,
    KEY,
    PAIRS,
    PASSING,
    POLICY,
    PROMPT,
    TEXT,
    TRIES,
    Case,
    Kept,
    Played,
    client_of,
    dollars,
    play,
    play_all,
    price_book,
    question,
    rules_of,
)

WHOLE = {"normal", "reasoned"}
USABLE = WHOLE | {"cut-below-the-cap"}
each_pair = pytest.mark.parametrize(
    ("wire", "case"), PAIRS, ids=[f"{wire}-{case.name}" for wire, case in PAIRS]
)
each_passing = pytest.mark.parametrize(
    ("wire", "case"),
    [(wire, case) for case in PASSING for wire in case.wires],
    ids=[f"{wire}-{case.name}" for case in PASSING for wire in case.wires],
)


@pytest.fixture(scope="module")
def lasting() -> dict[tuple[Wire, str], Played]:
    """Each fault, however often the provider is asked."""
    return asyncio.run(play_all(rules_of(CASES)))


@pytest.fixture(scope="module")
def passing() -> dict[tuple[Wire, str], Played]:
    """Each fault in the first try of a call only."""
    return asyncio.run(play_all(rules_of(CASES, nth=[1])))


@each_pair
def test_a_fault_has_its_verdict_attempts_and_cost(
    lasting: dict[tuple[Wire, str], Played], wire: Wire, case: Case
) -> None:
    played = lasting[wire, case.name]
    receipts = played.kept.receipts
    assert tuple(receipt.verdict for receipt in receipts) == case.verdicts
    assert [receipt.cost_usd for receipt in receipts] == pytest.approx(
        len(case.verdicts) * [dollars(case.output)], nan_ok=False
    )
    assert len(played.asked) == len(case.verdicts)
    assert played.last is receipts[-1]


def test_nothing_but_a_whole_reply_is_usable(lasting: dict[tuple[Wire, str], Played]) -> None:
    for (_, name), played in lasting.items():
        assert (played.last.verdict == "stop") == (name in USABLE)
        assert bool(played.last.error) == (name not in USABLE)
        assert name not in WHOLE or played.last.reply == TEXT


def test_a_reply_cut_below_the_cap_shows_it_by_its_fence(
    lasting: dict[tuple[Wire, str], Played],
) -> None:
    for wire in WIRES:
        assert UNCLOSED in extract(lasting[wire, "cut-below-the-cap"].last.reply).flags
        assert UNCLOSED not in extract(lasting[wire, "normal"].last.reply).flags


def test_every_try_is_an_intent_and_then_its_receipt(
    lasting: dict[tuple[Wire, str], Played],
) -> None:
    for wire, case in PAIRS:
        entries = lasting[wire, case.name].kept.entries
        assert [(type(entry), entry.attempt) for entry in entries] == [
            (kind, attempt)
            for attempt in range(1, len(case.verdicts) + 1)
            for kind in (Intent, Receipt)
        ]
        assert {entry.call_id for entry in entries} == {f"{wire}-{case.name}"}


def test_the_key_is_sent_and_is_in_nothing_that_is_kept(
    lasting: dict[tuple[Wire, str], Played],
) -> None:
    for played in lasting.values():
        assert {asked.key for asked in played.asked} == {KEY}
        assert KEY not in repr(played.kept.entries)


@each_passing
def test_a_fault_that_passes_is_recovered_from(
    passing: dict[tuple[Wire, str], Played], wire: Wire, case: Case
) -> None:
    played = passing[wire, case.name]
    assert [receipt.verdict for receipt in played.kept.receipts] == ["error", "stop"]
    assert (played.last.reply, played.last.attempt) == (TEXT, 2)


def test_what_was_cut_or_refused_is_never_asked_again(
    passing: dict[tuple[Wire, str], Played],
) -> None:
    for wire, case in PAIRS:
        if case not in PASSING:
            assert len(passing[wire, case.name].asked) == 1


def test_a_server_that_never_ends_is_cut_at_each_try(
    lasting: dict[tuple[Wire, str], Played],
) -> None:
    for (_, name), played in lasting.items():
        if name in ENDLESS:
            tries = [each.ended_at - each.started_at for each in played.kept.receipts]
            assert all(HASTY.attempt_s <= spent < HASTY.attempt_s + 4 for spent in tries)


@pytest.mark.parametrize("name", ["rate-limited-for-a-second", "rate-limited-until"])
def test_the_wish_to_wait_is_granted(passing: dict[tuple[Wire, str], Played], name: str) -> None:
    for (_, model), played in passing.items():
        if model == name:
            first, second = played.kept.receipts
            # A date has whole seconds only, so the second that it asks for may be nearly over.
            least = 1.0 if name.endswith("second") else 0.0
            assert least <= second.started_at - first.ended_at < 6.0


def calls(script: dict[str, Any], policy: CallPolicy = POLICY, **provider: Any) -> Played:
    """One call of chat under a policy."""

    async def run() -> Played:
        async with FakeProvider({"default": {"reply": {"text": TEXT}}, **script}) as server:
            client = client_of(server, policy, **provider)
            try:
                return await play(client, server, "chat", "normal")
            finally:
                await client.aclose()

    return asyncio.run(run())


@pytest.mark.parametrize("way", ["body", "headers"])
def test_the_deadline_cuts_a_drip_that_each_try_would_wait_for(way: str) -> None:
    policy = CallPolicy(attempts=9, deadline_s=0.4, attempt_s=60, backoff_s=0.01)
    rules = [{"do": "drip", "way": way, "every_s": 0.01}]
    played = calls({"rules": rules}, policy)
    assert (played.last.verdict, played.last.attempt) == ("error", 1)
    assert 0.4 <= played.seconds < 5.0


def test_no_try_begins_that_the_deadline_would_cut_during_the_wait() -> None:
    policy = CallPolicy(attempts=9, deadline_s=1.0, attempt_s=1.0, backoff_s=0.01)
    played = calls({"rules": [{"do": "rate_limited", "retry_after": 3600}]}, policy)
    assert (played.last.verdict, len(played.asked)) == ("error", 1)
    assert played.seconds < 5.0


def test_a_server_that_is_not_there_costs_nothing_and_is_an_error() -> None:
    async def run() -> Kept:
        async with FakeProvider() as server:
            client, kept = client_of(server), Kept()
        await client.call("c", question("chat", "normal"), kept)
        await client.aclose()
        return kept

    receipts = asyncio.run(run()).receipts
    assert [(each.verdict, each.cost_usd) for each in receipts] == TRIES * [("error", 0.0)]


def test_a_call_that_is_cancelled_leaves_its_intent_and_counts_as_spent() -> None:
    async def run() -> tuple[Kept, int, float]:
        async with FakeProvider({"default": {"do": "hang"}}) as server:
            kept, budget = Kept(), Budget()
            client = client_of(server, budget=budget)
            call = asyncio.ensure_future(client.call("c", question("chat", "normal"), kept))
            while not server.asked:
                await asyncio.sleep(0.01)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
            await client.aclose()
            return kept, len(server.asked), budget.spent_usd

    kept, asked, spent = asyncio.run(run())
    assert ([type(entry) for entry in kept.entries], asked) == ([Intent], 1)
    assert spent == price_book().upper_bound(question("chat", "normal"))


def test_a_budget_stops_calls_before_their_intent() -> None:
    async def run() -> tuple[int, int, int, Budget]:
        async with FakeProvider({"default": {"reply": {"text": TEXT}}}) as server:
            kept, budget = Kept(), Budget(limit_usd=0.02)
            client, stopped = client_of(server, budget=budget), 0
            for number in range(30):
                try:
                    await client.call(f"c{number}", question("gemini", "normal"), kept)
                except BudgetError:
                    stopped += 1
            await client.aclose()
            return stopped, len(kept.entries), server.stats()["requests"], budget

    stopped, entries, requests, budget = asyncio.run(run())
    assert 0 < stopped < 30
    assert (entries, requests) == (2 * (30 - stopped), 30 - stopped)
    assert budget.spent_usd == pytest.approx(requests * (dollars(len(TEXT) // 4) or 0))
    assert budget.spent_usd <= 0.02


def test_calls_in_flight_are_as_many_as_the_provider_allows() -> None:
    async def run() -> int:
        async with FakeProvider({"default": {"delay_s": 0.02}}) as server:
            client = client_of(server, concurrency=5)
            asked = [client.call(f"c{n}", question("chat", "normal"), Kept()) for n in range(40)]
            await asyncio.gather(*asked)
            await client.aclose()
            peak: int = server.stats()["peak_in_flight"]
            return peak

    assert asyncio.run(run()) == 5


def test_requests_of_a_minute_are_spread_over_it() -> None:
    async def run() -> float:
        async with FakeProvider() as server:
            client = client_of(server, requests_per_minute=600)
            began = time.monotonic()
            asked = [client.call(f"c{n}", question("chat", "normal"), Kept()) for n in range(6)]
            await asyncio.gather(*asked)
            await client.aclose()
            return time.monotonic() - began

    assert asyncio.run(run()) >= 0.5


@pytest.mark.parametrize("wire", ["chat", "responses", "anthropic", "gemini"])
def test_what_is_recorded_as_sent_was_sent(wire: Wire) -> None:
    async def run() -> Played:
        async with FakeProvider() as server:
            client = client_of(server)
            try:
                settings = {"temperature": 0.5, "top_p": 0.9, "seed": 7}
                return await play(client, server, wire, "normal", **settings)
            finally:
                await client.aclose()

    played = asyncio.run(run())
    asked, receipt = played.asked[0], played.last
    sent = {"chat": asked.body, "gemini": asked.body.get("generationConfig")}.get(wire, asked.body)
    assert receipt.parameters.count('"seed"') == (sent or {}).get("seed", 0) / 7
    assert ("0.5" in receipt.parameters, "0.9" in receipt.parameters) == (True, True)
    assert (sent or {})["temperature"] == 0.5
    assert PROMPT not in receipt.parameters
    assert asked.prompt_sha256 == receipt.request.prompt_sha256


def test_a_body_is_kept_as_it_came_even_if_it_broke_off() -> None:
    played = calls({"rules": [{"do": "short_body", "nth": [1]}]})
    broken, whole = played.kept.receipts
    assert whole.raw.startswith(b'{"id":')
    assert 0 < len(broken.raw) < len(whole.raw)
