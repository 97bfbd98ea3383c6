"""The model client beyond single faults: order, cancellation, waiting, budget, and the key.

The faults of a server are in test_call_faults.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from configs.errors import BudgetError, ConfigError, InfraError
from configs.models import ProviderConfig
from tasks.budget import Budget
from tasks.calls import CallPolicy, ModelClient
from tasks.model_records import Intent, Provider, Receipt
from tasks.prices import PriceBook
from tests.fake_provider import WIRES, FakeProvider, Wire
from tests.tasks.call_faults import (
    KEY,
    POLICY,
    TEXT,
    Kept,
    client_of,
    dollars,
    price_book,
    question,
)

PATIENT = CallPolicy(attempts=3, deadline_s=20.0, attempt_s=10.0, backoff_s=0.01)
COST = dollars(len(TEXT) // 4) or 0.0
UPPER = price_book().upper_bound(question("chat", "normal"))


def using(
    script: dict[str, Any],
    use: Callable[[ModelClient, FakeProvider], Awaitable[Any]],
    policy: CallPolicy = PATIENT,
    **options: Any,
) -> Any:
    """What `use` returns, with a client and the server that it asks."""

    async def run() -> Any:
        async with FakeProvider({"default": {"reply": {"text": TEXT}}, **script}) as server:
            client = client_of(server, policy, **options)
            try:
                return await use(client, server)
            finally:
                await client.aclose()

    return asyncio.run(run())


class Slow(Kept):
    """A recorder that takes its time, and notes what the server had been asked by then."""

    def __init__(self, server: FakeProvider, seconds: float = 0.05) -> None:
        super().__init__()
        self.server, self.seconds = server, seconds
        self.asked: list[int] = []

    async def intent(self, intent: Intent) -> None:
        await asyncio.sleep(self.seconds)
        self.asked.append(len(self.server.asked))
        await super().intent(intent)

    async def receipt(self, receipt: Receipt) -> None:
        await asyncio.sleep(self.seconds)
        await super().receipt(receipt)


def test_the_request_leaves_after_its_intent_and_the_text_comes_after_its_receipt() -> None:
    async def use(client: ModelClient, server: FakeProvider) -> None:
        slow = Slow(server)
        receipt = await client.call("c", question("chat", "normal"), slow)
        assert slow.asked == [0]
        assert slow.receipts == [receipt]

    using({}, use)


def test_tries_are_numbered_from_where_the_caller_says() -> None:
    async def use(client: ModelClient, _: FakeProvider) -> None:
        kept = Kept()
        await client.call("c", question("chat", "normal"), kept, first_attempt=4)
        assert [entry.attempt for entry in kept.entries] == [4, 4, 5, 5]

    using({"rules": [{"do": "error_500", "nth": [1]}]}, use)


def test_times_of_a_receipt_are_those_of_the_request_and_not_of_the_store() -> None:
    async def use(client: ModelClient, server: FakeProvider) -> None:
        slow = Slow(server, 0.5)
        before = time.time()
        receipt = await client.call("c", question("chat", "normal"), slow)
        assert receipt.started_at >= before + 0.5
        assert receipt.ended_at - receipt.started_at < 0.5

    using({}, use)


@pytest.mark.parametrize("wire", WIRES)
def test_a_receipt_holds_all_that_came(wire: Wire) -> None:
    async def use(client: ModelClient, _: FakeProvider) -> None:
        receipt = await client.call("c", question(wire, "normal"), Kept())
        assert (receipt.verdict, receipt.reply, receipt.http_status) == ("stop", TEXT, 200)
        assert receipt.response_id.startswith("fake-1-")
        assert receipt.answered_by == receipt.request.model
        assert receipt.usage.reasoning_tokens in (40, None)  # Anthropic need not tell it apart
        assert receipt.usage.output_tokens == len(TEXT) // 4 + 40
        assert receipt.usage.cached_tokens == 3
        assert receipt.raw_sha256
        assert receipt.finish in ("stop", "completed", "end_turn", "STOP")

    using({"default": {"reply": {"text": TEXT}, "reasoning_tokens": 40, "cached_tokens": 3}}, use)


class TestCancellation:
    @pytest.mark.parametrize("do", ["hang", "drip"])
    def test_a_cancelled_call_leaves_its_intent_and_nothing_else(self, do: str) -> None:
        async def use(client: ModelClient, server: FakeProvider) -> None:
            before, kept = asyncio.all_tasks(), Kept()
            tasks = [
                asyncio.create_task(client.call(f"c{n}", question("chat", "normal"), kept))
                for n in range(10)
            ]
            while len(server.asked) < 10:
                await asyncio.sleep(0.01)
            for task in tasks:
                task.cancel()
            ends = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(isinstance(end, asyncio.CancelledError) for end in ends)
            assert [type(entry) for entry in kept.entries] == [Intent] * 10
            while server.stats()["in_flight"]:
                await asyncio.sleep(0.01)
            ours = {t for t in asyncio.all_tasks() - before if "FakeProvider" not in repr(t)}
            assert not ours

        using({"rules": [{"do": do, "way": "body"}]}, use)

    def test_it_counts_as_spent_at_its_upper_bound_and_gives_back_its_place(self) -> None:
        budget = Budget(10.0)

        async def use(client: ModelClient, server: FakeProvider) -> None:
            task = asyncio.create_task(client.call("a", question("chat", "hang"), Kept()))
            while not server.asked:
                await asyncio.sleep(0.01)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert (budget.spent_usd, budget.held_usd) == (pytest.approx(UPPER), 0.0)
            receipt = await client.call("b", question("chat", "normal"), Kept())
            assert receipt.verdict == "stop"

        rules = [{"model": "*.hang", "do": "hang"}]
        using({"rules": rules}, use, budget=budget, concurrency=1)

    def test_a_call_cancelled_before_its_intent_is_nothing(self) -> None:
        budget = Budget(10.0)

        async def use(client: ModelClient, server: FakeProvider) -> None:
            slow = Slow(server, 60)
            task = asyncio.create_task(client.call("a", question("chat", "normal"), slow))
            await asyncio.sleep(0.05)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert (slow.entries, server.asked, budget.spent_usd) == ([], [], 0.0)

        using({}, use, budget=budget)

    def test_a_pause_between_tries_can_be_cancelled(self) -> None:
        async def use(client: ModelClient, _: FakeProvider) -> None:
            kept = Kept()
            task = asyncio.create_task(client.call("a", question("chat", "normal"), kept))
            while len(kept.entries) < 2:
                await asyncio.sleep(0.01)
            task.cancel()
            ends = await asyncio.gather(task, return_exceptions=True)
            assert isinstance(ends[0], asyncio.CancelledError)
            assert [type(entry) for entry in kept.entries] == [Intent, Receipt]

        using({"rules": [{"do": "rate_limited", "retry_after": 10}]}, use)


class TestWaiting:
    def test_waiting_for_a_place_does_not_eat_the_deadline(self) -> None:
        async def use(client: ModelClient, _: FakeProvider) -> None:
            calls = [client.call(f"c{n}", question("chat", "normal"), Kept()) for n in range(8)]
            receipts = await asyncio.gather(*calls)
            assert [receipt.verdict for receipt in receipts] == ["stop"] * 8

        script = {"default": {"reply": {"text": TEXT}, "delay_s": 0.15}}
        policy = CallPolicy(attempts=1, deadline_s=1.0, attempt_s=1.0)
        using(script, use, policy, concurrency=1)

    def test_waiting_for_the_rate_does_not_eat_the_deadline(self) -> None:
        async def use(client: ModelClient, server: FakeProvider) -> None:
            receipt = await client.call("c", question("chat", "normal"), Kept())
            assert (receipt.verdict, receipt.attempt) == ("stop", 3)

        rules = [{"do": "error_500", "nth": [1, 2]}]
        policy = CallPolicy(attempts=3, deadline_s=1.0, attempt_s=1.0, backoff_s=0.01)
        using({"rules": rules}, use, policy, requests_per_minute=100)

    def test_a_slow_store_does_not_eat_the_deadline(self) -> None:
        async def use(client: ModelClient, server: FakeProvider) -> None:
            receipt = await client.call("c", question("chat", "normal"), Slow(server, 0.3))
            assert (receipt.verdict, receipt.attempt) == ("stop", 2)

        policy = CallPolicy(attempts=3, deadline_s=1.0, attempt_s=1.0, backoff_s=0.01)
        using({"rules": [{"do": "error_500", "nth": [1]}]}, use, policy)

    def test_each_provider_has_limits_of_its_own(self) -> None:
        async def use(client: ModelClient, server: FakeProvider) -> None:
            begun = time.monotonic()
            stuck = asyncio.create_task(client.call("a", question("chat", "hang"), Kept()))
            receipt = await client.call("b", question("gemini", "normal"), Kept())
            assert receipt.verdict == "stop"
            assert time.monotonic() - begun < 5.0
            stuck.cancel()
            await asyncio.gather(stuck, return_exceptions=True)

        using({"rules": [{"model": "*.hang", "do": "hang"}]}, use, concurrency=1)


class TestBudget:
    def test_calls_at_once_stop_short_of_the_limit_together(self) -> None:
        budget = Budget(UPPER * 3.5)

        async def use(client: ModelClient, server: FakeProvider) -> None:
            calls = [client.call(f"c{n}", question("chat", "normal"), Kept()) for n in range(40)]
            ends = await asyncio.gather(*calls, return_exceptions=True)
            stopped = [end for end in ends if isinstance(end, BudgetError)]
            assert len(stopped) + len(server.asked) == 40
            assert server.stats()["peak_in_flight"] <= 3
            assert budget.spent_usd == pytest.approx(len(server.asked) * COST)
            assert budget.spent_usd <= UPPER * 3.5 < budget.spent_usd + UPPER

        using({}, use, budget=budget)

    def test_a_further_try_that_could_pass_the_limit_is_not_begun(self) -> None:
        budget = Budget(UPPER * 1.5)

        async def use(client: ModelClient, _: FakeProvider) -> None:
            kept = Kept()
            with pytest.raises(BudgetError):
                await client.call("c", question("chat", "normal"), kept)
            assert [type(entry) for entry in kept.entries] == [Intent, Receipt]
            assert kept.receipts[0].cost_usd is None
            assert budget.spent_usd == pytest.approx(UPPER)

        using({"rules": [{"do": "error_500"}]}, use, budget=budget)

    def test_an_unpriced_model_is_never_asked(self) -> None:
        async def use(client: ModelClient, server: FakeProvider) -> None:
            kept = Kept()
            with pytest.raises(ConfigError, match=r"chat/no\.such"):
                await client.call("c", replace(question("chat", "x"), model="no.such"), kept)
            assert (kept.entries, server.asked) == ([], [])

        using({}, use)


class Broken(Kept):
    """A store that fails."""

    async def receipt(self, receipt: Receipt) -> None:
        raise InfraError("the store is gone")


def test_a_store_that_fails_ends_the_call_and_frees_what_it_held() -> None:
    budget = Budget(10.0)

    async def use(client: ModelClient, server: FakeProvider) -> None:
        with pytest.raises(InfraError):
            await client.call("a", question("chat", "normal"), Broken())
        assert len(server.asked) == 1
        assert (budget.spent_usd, budget.held_usd) == (pytest.approx(COST), 0.0)
        assert (await client.call("b", question("chat", "normal"), Kept())).verdict == "stop"

    using({}, use, budget=budget, concurrency=1)


class TestKey:
    def test_a_wrong_key_is_said_to_be_wrong_and_is_shown_nowhere(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)

        async def use(client: ModelClient, _: FakeProvider) -> None:
            for wire in WIRES:
                receipt = await client.call("c", question(wire, "normal"), Kept())
                assert receipt.error.startswith(f"{wire} refuses the key (401)")
                assert KEY not in f"{receipt!r}{client!r}{vars(client)!r}"

        using({"key": "another"}, use)
        assert KEY not in caplog.text

    @pytest.mark.parametrize("key", ["sk-a\nb", "sk-a ", "sk-é", "sk-\x00"])
    def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(self, key: str) -> None:
        provider = Provider("p", "chat", "http://localhost/v1", key)
        with pytest.raises(ConfigError, match="provider p: its key") as caught:
            ModelClient({"p": provider}, price_book(), POLICY, Budget())
        assert key not in str(caught.value)

    @pytest.mark.parametrize(
        "url", ["localhost:8000/v1", "ftp://host/v1", "http:///v1", "http://[/v1", "", "http://a:x"]
    )
    def test_an_address_that_is_none_is_refused(self, url: str) -> None:
        with pytest.raises(ConfigError, match="no http or https address"):
            ModelClient({"p": Provider("p", "chat", url)}, price_book(), POLICY, Budget())

    def test_a_password_in_an_address_is_refused_without_showing_it(self) -> None:
        provider = Provider("p", "chat", "http://me:hush@host/v1")
        with pytest.raises(ConfigError, match="holds a user name") as caught:
            ModelClient({"p": provider}, price_book(), POLICY, Budget())
        assert "hush" not in str(caught.value)


def test_an_unknown_provider_is_a_mistake_of_the_config() -> None:
    async def use(client: ModelClient, _: FakeProvider) -> None:
        with pytest.raises(ConfigError, match="no provider 'nobody'"):
            await client.call("c", replace(question("chat", "x"), provider="nobody"), Kept())

    using({}, use)


def test_an_address_that_leads_nowhere_is_told_as_such() -> None:
    async def run() -> Receipt:
        configs = {"p": ProviderConfig(wire="chat", base_url="http://no-such-host.invalid/v1")}
        provider = Provider("p", "chat", configs["p"].base_url, KEY)
        book = PriceBook(configs, {"p/m": price_book().own["chat/chat.normal"]})
        client = ModelClient({"p": provider}, book, POLICY, Budget())
        asked = replace(question("chat", "normal"), provider="p", model="m")
        try:
            return await client.call("c", asked, Kept())
        finally:
            await client.aclose()

    receipt = asyncio.run(run())
    assert (receipt.verdict, receipt.cost_usd, receipt.http_status) == ("error", 0.0, None)
    assert "p: no connection" in receipt.error


def test_many_calls_at_once_lose_none_and_leave_no_connection_open() -> None:
    async def use(client: ModelClient, server: FakeProvider) -> None:
        kept = Kept()
        calls = [client.call(f"c{n}", question(WIRES[n % 4], "normal"), kept) for n in range(300)]
        receipts = await asyncio.gather(*calls)
        assert {receipt.verdict for receipt in receipts} == {"stop"}
        assert len({receipt.call_id for receipt in receipts}) == 300
        tries = len(kept.receipts)
        assert tries == len(server.asked) > 300
        assert len(kept.entries) == 2 * tries

    faults = ["error_500", "short_body", "bad_json", "reset", "error_in_200", "rate_limited"]
    rules = [{"do": do, "share": 0.04} for do in faults]
    policy = CallPolicy(attempts=9, deadline_s=60.0, attempt_s=20.0, backoff_s=0.005)
    using({"rules": rules}, use, policy, concurrency=16)
    gc.collect()
