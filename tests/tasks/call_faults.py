"""The faults of a model server and what is to come of each: one list for all wire formats."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from configs.models import PricesConfig, ProviderConfig
from tasks.budget import Budget
from tasks.calls import ModelClient
from tasks.model_records import CallVerdict, Intent, Message, ModelRequest, Provider, Receipt
from tasks.pacing import CallPolicy
from tasks.prices import PriceBook
from tests.fake_provider import WIRES, Asked, FakeProvider, Wire
from tests.fake_provider.saying import REFUSALS

KEY = "sk-fake-key-0123456789"
CAP = 400
PROMPT = "Write tests for this.\n\ndef double(x):\n    return 2 * x\n"
TEXT = "```python\n" + "".join(f"def test_{n}():\n    assert {n} >= 0\n" for n in range(20)) + "```"
INPUT, OUTPUT = len(PROMPT) // 4, len(TEXT) // 4
PRICES = PricesConfig(input_mtok=3.0, output_mtok=15.0)
TRIES = 3
# A server that says something is waited for as long as a busy machine may need; one that never ends
# is given up soon.
POLICY = CallPolicy(TRIES, deadline_s=120, attempt_s=30, backoff_s=0.001, backoff_max_s=0.01)
HASTY = replace(POLICY, deadline_s=20, attempt_s=2)
ENDLESS = ("hang", "hang-in-body", "drip", "drip-headers")


@dataclass(frozen=True)
class Case:
    """A rule of the script, and the verdicts of a call's attempts, of which the last counts.

    `output` is what every attempt is billed for, in tokens; None: it cannot be known, and 0: the
    server did nothing, so that it is free.
    """

    name: str
    rule: dict[str, Any]
    verdicts: tuple[CallVerdict, ...]
    output: int | None
    wires: Sequence[Wire] = WIRES


def once(name: str, verdict: CallVerdict, output: int | None, **rule: Any) -> Case:
    """A case in which the provider has spoken, so that it is asked once."""
    return Case(name, rule, (verdict,), output, rule.pop("wires", WIRES))


def always(name: str, output: int | None = None, **rule: Any) -> Case:
    """A fault that does not go away: all tries are made, and nothing is usable."""
    verdicts: tuple[CallVerdict, ...] = ("error",)
    return Case(name, rule, TRIES * verdicts, output, rule.pop("wires", WIRES))


CASES: tuple[Case, ...] = (
    once("normal", "stop", OUTPUT, do="normal"),
    once("reasoned", "stop", OUTPUT + 40, do="normal", reasoning_tokens=40),
    once("too-long", "length", CAP, do="normal", reply={"text": TEXT * 9}),
    once("cut-at-the-cap", "length", CAP, do="length"),
    once("stop-at-the-cap", "length", CAP, do="stop_at_cap"),
    once("reasoning-eats-the-cap", "length", CAP, do="reasoning_only"),
    # Nothing in this answer is wrong: only the suite's own fence and syntax show that it was cut.
    once("cut-below-the-cap", "stop", len(TEXT) // 2 // 4, do="cut_below"),
    once("empty", "empty", 1, do="empty"),
    once("blank", "empty", 1, do="empty", way="blank"),
    once("null-text", "empty", 1, do="empty", way="null"),
    once("no-usage", "unknown", None, do="no_usage"),
    once("null-usage", "unknown", None, do="no_usage", way="null"),
    once("no-finish", "unknown", OUTPUT, do="no_finish"),
    once("null-finish", "unknown", OUTPUT, do="no_finish", way="null"),
    once("odd-finish", "unknown", OUTPUT, do="odd_finish"),
    once("tool-call", "unknown", 9, do="tool_call"),
    once("tool-call-with-text", "unknown", 9, do="tool_call", way="with_text"),
    *(
        once(f"refusal-{way}", "refused", 8, do="refusal", way=way, wires=wires)
        for way, wires in {
            way: [wire for wire in WIRES if way in REFUSALS[wire]]
            for way in dict.fromkeys(way for ways in REFUSALS.values() for way in ways)
        }.items()
    ),
    once("wrong-key", "error", 0, do="wrong_key"),
    once("unknown-model", "error", 0, do="unknown_model"),
    always("rate-limited", 0, do="rate_limited"),
    always("rate-limited-for-a-second", 0, do="rate_limited", retry_after=1),
    always("rate-limited-until", 0, do="rate_limited", retry_after_date=1),
    always("error-500", do="error_500"),
    always("error-503", 0, do="error_503"),
    always("error-529", 0, do="error_529"),
    always("error-in-200", do="error_in_200"),
    always("error-in-a-choice", 5, do="error_in_200", way="choice", wires=["chat"]),
    always("reset", do="reset"),
    always("disconnect", do="disconnect"),
    always("garbage", do="garbage"),
    always("flood", do="flood", wires=["chat"]),
    always("short-body", do="short_body"),
    always("short-but-complete", do="short_body", way="complete"),
    always("short-chunks", do="short_body", way="chunked"),
    always("bad-json", do="bad_json"),
    always("html", do="bad_json", way="html"),
    always("no-utf8", do="bad_json", way="bytes"),
    always("wrong-shape-object", do="wrong_shape", way="object"),
    always("wrong-shape-list", do="wrong_shape", way="list"),
    always("wrong-shape-null", do="wrong_shape", way="null"),
    always("wrong-shape-inner", do="wrong_shape", way="inner"),
    always("hang", do="hang"),
    always("hang-in-body", do="hang", way="body"),
    always("drip", do="drip", every_s=0.02),
    always("drip-headers", do="drip", way="headers", every_s=0.02),
)
PASSING = [case for case in CASES if len(case.verdicts) == TRIES]
PAIRS = [(wire, case) for case in CASES for wire in case.wires]


@dataclass
class Kept:
    """A recorder that holds what it was given in memory, in order."""

    entries: list[Intent | Receipt] = field(default_factory=list)

    async def intent(self, intent: Intent) -> None:
        self.entries.append(intent)

    async def receipt(self, receipt: Receipt) -> None:
        self.entries.append(receipt)

    @property
    def receipts(self) -> list[Receipt]:
        return [entry for entry in self.entries if isinstance(entry, Receipt)]


@dataclass(frozen=True)
class Played:
    """One call: its last receipt, all that was kept, what the server was asked, and seconds."""

    last: Receipt
    kept: Kept
    asked: list[Asked]
    seconds: float


def price_book() -> PriceBook:
    known: dict[str, ProviderConfig] = {
        wire: ProviderConfig(wire=wire, base_url="http://127.0.0.1/v1") for wire in WIRES
    }
    own = {f"{wire}/{model_of(wire, c.name)}": PRICES for wire in WIRES for c in CASES}
    return PriceBook(known, own)


def client_of(
    server: FakeProvider,
    policy: CallPolicy = POLICY,
    budget: Budget | None = None,
    **provider: Any,
) -> ModelClient:
    """A client of all four wire formats of a server; must be made within an event loop."""
    limits = {"key": KEY, "concurrency": 16, **provider}
    providers: dict[str, Provider] = {
        wire: Provider(wire, wire, server.url(wire), **limits) for wire in WIRES
    }
    return ModelClient(providers, price_book(), policy, budget or Budget())


def model_of(wire: Wire, name: str) -> str:
    """A model for each case and wire, so that the server counts their requests apart."""
    return f"{wire}.{name}"


def rules_of(cases: Sequence[Case], **more: Any) -> list[dict[str, Any]]:
    """The script's rules by which every case has its own models."""
    return [{"model": f"*.{case.name}", **more, **case.rule} for case in cases]


def question(wire: Wire, name: str, **parameters: Any) -> ModelRequest:
    return ModelRequest(wire, model_of(wire, name), (Message("user", PROMPT),), CAP, **parameters)


async def play(
    client: ModelClient, server: FakeProvider, wire: Wire, name: str, **parameters: Any
) -> Played:
    """Make one call, the only one of its case and wire."""
    kept, loop = Kept(), asyncio.get_running_loop()
    began = loop.time()
    request = question(wire, name, **parameters)
    last = await client.call(f"{wire}-{name}", request, kept)
    asked = [each for each in server.asked if each.model == request.model]
    return Played(last, kept, asked, loop.time() - began)


async def play_all(rules: Sequence[dict[str, Any]]) -> dict[tuple[Wire, str], Played]:
    """Every case over every wire against one server; those that never end apart, in peace."""
    script = {"key": KEY, "rules": rules, "default": {"reply": {"text": TEXT}}}
    played: dict[tuple[Wire, str], Played] = {}
    async with FakeProvider(script) as server:
        for endless, policy in ((False, POLICY), (True, HASTY)):
            keys = [(wire, c.name) for wire, c in PAIRS if (c.name in ENDLESS) == endless]
            client = client_of(server, policy)
            try:
                calls = [play(client, server, wire, name) for wire, name in keys]
                played.update(zip(keys, await asyncio.gather(*calls), strict=True))
            finally:
                await client.aclose()
    return played


def dollars(output: int | None) -> float | None:
    """What an attempt costs at PRICES: nothing if the server did nothing, None if unknown."""
    if not output:
        return 0.0 if output == 0 else None
    return (INPUT * 3.0 + output * 15.0) / 1e6
