"""Model calls of a run: each asked once, with its intent and receipts in the store."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from tasks.calls import CallPolicy, ModelClient

from cluster.batches import UnitWriter
from cluster.board import Board
from cluster.keys import begun_key, receipt_key
from cluster.ledger import GaveUp
from cluster.plan import Cell, Plan
from cluster.resume import Resume
from cluster.stored_calls import StoredAttempt
from configs.errors import ConfigError
from configs.models import ModelWriterConfig
from configs.providers import providers_of, split_model
from storage.call_rows import CallPlace, call_rows
from tasks.budget import Budget
from tasks.model_records import Intent, Message, ModelRequest, Provider, Receipt
from tasks.prices import PriceBook
from tasks.records import sha256

LOST = "begun, and the driver ended before its receipt was stored: it may have been billed"


@dataclass(frozen=True)
class Reply:
    """What a call ended with: only the text of a `stop` may be used."""

    call_id: str
    verdict: str
    text: str


class Calling:
    """Asks models what no stored receipt answers. `ask_lost`: also calls without a receipt."""

    def __init__(
        self,
        plan: Plan,
        resume: Resume,
        writer: UnitWriter,
        board: Board,
        client: ModelClient,
        prices: PriceBook,
        ask_lost: bool = False,
    ) -> None:
        self._plan = plan
        self._resume = resume
        self._writer = writer
        self._board = board
        self._client = client
        self._prices = prices
        self._ask_lost = ask_lost

    async def ask(
        self, cell: Cell, messages: tuple[Message, ...], draw: int = 0, round: int = 0
    ) -> Reply:
        """The reply of the cell's model, from the store where it is there.

        GaveUp when the provider failed at every try or an earlier call's receipt is lost,
        BudgetError when the money does not reach for it.
        """
        call_id = f"{cell.cell_id}/{draw}.{round}"
        told = self._resume.calls.reply(call_id, self._ask_lost)
        if told is None:
            request = request_of(self._plan, cell, messages, draw, round)
            recorder = _Recorder(self, cell, call_id, draw, round, request)
            receipt = await self._client.call(call_id, request, recorder)
            told = self._fact(receipt)
            tries = recorder.last
        else:
            tries = self._resume.calls.attempts(call_id)
        if told["verdict"] in ("error", "unreceipted"):
            raise GaveUp(f"model call {call_id}: {told['error']}", tries)
        return Reply(call_id, told["verdict"], told["reply"])

    async def settle(self) -> None:
        """Store a row for every attempt that an earlier run began and never heard of."""
        for lost in self._resume.calls.unreceipted():
            receipt, place = _lost(lost)
            await self._store(receipt, place)
        await self._writer.durable()

    async def aclose(self) -> None:
        await self._client.aclose()

    async def intent(self, intent: Intent, place: CallPlace) -> None:
        """Durable before the request leaves."""
        request = intent.request
        fact = {
            "provider": request.provider,
            "model": request.model,
            "parameters": intent.parameters,
            "max_output_tokens": request.max_output_tokens,
            "started_at": intent.started_at,
            "bound_usd": self._prices.upper_bound(request),
            "prompt": request.prompt,
            "place": asdict(place),
        }
        key = begun_key(intent.call_id, intent.attempt)
        await self._writer.add({}, [key], {key: fact})
        await self._writer.durable()
        self._board.calls += 1
        self._board.calls_open += 1

    async def receipt(self, receipt: Receipt, place: CallPlace) -> None:
        """Durable before its text is used."""
        await self._store(receipt, place)
        await self._writer.durable()
        self._board.calls_open -= 1
        bound = self._prices.upper_bound(receipt.request)
        self._board.book(receipt.verdict, receipt.cost_usd, bound)

    async def _store(self, receipt: Receipt, place: CallPlace) -> None:
        key = receipt_key(receipt.call_id, receipt.attempt)
        rows = call_rows(self._plan.experiment_id, [(place, receipt)])
        await self._writer.add({"calls": rows}, [key], {key: self._fact(receipt)})

    @staticmethod
    def _fact(receipt: Receipt) -> dict[str, Any]:
        text = receipt.reply if receipt.verdict == "stop" else ""
        return {
            "verdict": receipt.verdict,
            "reply": text,
            "cost_usd": receipt.cost_usd,
            "error": receipt.error,
        }


class _Recorder:
    """Keeps the attempts of one call; they are numbered on from those of earlier runs."""

    def __init__(
        self,
        calling: Calling,
        cell: Cell,
        call_id: str,
        draw: int,
        round: int,
        request: ModelRequest,
    ) -> None:
        self._calling = calling
        self._before = calling._resume.calls.attempts(call_id)
        self.last = self._before
        self._place = CallPlace(
            cell_id=cell.cell_id,
            subject_id=cell.subject_id,
            arm=cell.arm,
            condition=condition_of(calling._plan, cell),
            replicate=cell.replicate,
            draw=draw,
            round=round,
            role="repair" if round else "writer",
        )

    async def intent(self, intent: Intent) -> None:
        self.last = self._before + intent.attempt
        await self._calling.intent(replace(intent, attempt=self.last), self._place)

    async def receipt(self, receipt: Receipt) -> None:
        number = self._before + receipt.attempt
        await self._calling.receipt(replace(receipt, attempt=number), self._place)


def request_of(
    plan: Plan, cell: Cell, messages: tuple[Message, ...], draw: int, round: int
) -> ModelRequest:
    """One call of a cell; its seed is of the draw, the same for every arm on the subject."""
    writer = model_writer(plan, cell.arm)
    provider, model = split_model(writer.model)
    parts = f"{plan.config.seed}/{cell.subject_id}/{cell.replicate}/{draw}/{round}"
    seed = int(sha256(parts.encode())[:8], 16) >> 1
    return ModelRequest(
        provider=provider,
        model=model,
        messages=messages,
        max_output_tokens=writer.max_output_tokens,
        temperature=writer.temperature,
        top_p=writer.top_p,
        seed=seed if writer.seed else None,
    )


def model_writer(plan: Plan, arm: str) -> ModelWriterConfig:
    """The writer of an arm whose suites a model writes."""
    writer = plan.arms[arm].writer
    assert isinstance(writer, ModelWriterConfig)
    return writer


def condition_of(plan: Plan, cell: Cell) -> str:
    """The name of the prompt of a model's arm, else nothing."""
    return model_writer(plan, cell.arm).condition if cell.prompt else ""


def price_book(plan: Plan) -> PriceBook:
    """Prices of the config, before those published; ConfigError names a provider it lacks."""
    known = providers_of(plan.config.providers)
    asked = _asked(plan)
    strangers = sorted({name for name, _ in asked} - set(known))
    if strangers:
        raise ConfigError(
            [
                f"providers: no provider {name!r}; there are {', '.join(known)}, and the config "
                "may have its own"
                for name in strangers
            ]
        )
    stated = (entry for entry in plan.config.models if not isinstance(entry, str))
    return PriceBook(known, {each.model: each.prices for each in stated if each.prices})


def make_client(
    plan: Plan, prices: PriceBook, spent: float, environ: Mapping[str, str] = os.environ
) -> ModelClient:
    """The client of all models of a plan; ConfigError names every key that is not set."""
    known = providers_of(plan.config.providers)
    providers, lacking = {}, []
    for name in dict.fromkeys(name for name, _ in _asked(plan)):
        config = known[name]
        key = environ.get(config.key_variable) if config.key_variable else None
        if config.key_variable and not key:
            lacking.append(f"provider {name}: its key is expected in ${config.key_variable}")
        providers[name] = Provider(
            name=name,
            wire=config.wire,
            base_url=config.base_url,
            key=key,
            cap_field=config.cap_field,
            concurrency=config.concurrency,
            requests_per_minute=config.requests_per_minute,
        )
    if lacking:
        raise ConfigError(lacking)
    calls = plan.config.calls
    policy = CallPolicy(calls.attempts, calls.deadline_s, calls.attempt_s)
    return ModelClient(providers, prices, policy, Budget(calls.budget_usd, spent))


def _asked(plan: Plan) -> list[tuple[str, str]]:
    """(provider, model) of every arm that has a cell."""
    arms: Iterable[str] = dict.fromkeys(cell.arm for cell in plan.cells if cell.prompt)
    return list(dict.fromkeys(split_model(model_writer(plan, arm).model) for arm in arms))


def _lost(attempt: StoredAttempt) -> tuple[Receipt, CallPlace]:
    asked = attempt.asked
    turns = json.loads(asked["prompt"])
    request = ModelRequest(
        provider=asked["provider"],
        model=asked["model"],
        messages=tuple(Message(turn["role"], turn["text"]) for turn in turns),
        max_output_tokens=asked["max_output_tokens"],
    )
    receipt = Receipt(
        call_id=attempt.call_id,
        attempt=attempt.attempt,
        request=request,
        parameters=asked["parameters"],
        verdict="unreceipted",
        started_at=asked["started_at"],
        error=LOST,
    )
    return receipt, CallPlace(**asked["place"])
