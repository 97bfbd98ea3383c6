"""Model calls of a run: each asked once, with its intent and receipts in the store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from dataclasses import asdict, dataclass, replace
from typing import Any

from cluster.batches import UnitWriter
from cluster.board import Board
from cluster.keys import begun_key, receipt_key
from cluster.ledger import GaveUp
from cluster.plan import Cell, Plan
from cluster.resume import Resume
from cluster.stored_calls import StoredAttempt
from configs.errors import Interrupted
from configs.models import ModelWriterConfig
from configs.providers import split_model
from storage.call_rows import CallPlace, call_rows, unreceipted
from tasks.calls import ModelClient
from tasks.model_records import Intent, Message, ModelRequest, Receipt
from tasks.prices import PriceBook

OPEN_CALLS_S = 120.0
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
        self._open: set[asyncio.Future[Receipt]] = set()
        self._ending = False

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
            recorder = _Recorder(self, _place(self._plan, cell, draw, round))
            before = self._resume.calls.attempts(call_id)
            call = self._client.call(call_id, request, recorder, first_attempt=before + 1)
            told = self._fact(await self._to_the_end(call))
        if told["verdict"] in ("error", "unreceipted"):
            tries = self._resume.calls.attempts(call_id)
            raise GaveUp(f"model call {call_id}: {told['error']}", tries)
        return Reply(call_id, told["verdict"], told["reply"])

    async def settle(self) -> None:
        """Store a row for every attempt that an earlier run began and never heard of."""
        for lost in self._resume.calls.unreceipted():
            receipt, place = _lost(lost)
            await self._store(receipt, place)
        await self._writer.durable()

    async def aclose(self) -> None:
        """Begin no further attempt, wait for receipts of those on their way, and close.

        What is on its way is paid for: a run that is stopped waits for it, up to OPEN_CALLS_S.
        """
        self._ending = True
        if self._open:
            self._board.note = f"waiting for {self._board.calls_open} model calls on their way"
            await asyncio.wait(self._open, timeout=OPEN_CALLS_S)
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        await self._client.aclose()

    async def _to_the_end(self, call: Coroutine[Any, Any, Receipt]) -> Receipt:
        """Await a call in a task of its own, which goes on when its cell is called off."""
        task = asyncio.ensure_future(call)
        self._open.add(task)
        task.add_done_callback(self._closed)
        return await asyncio.shield(task)

    def _closed(self, task: asyncio.Future[Receipt]) -> None:
        self._open.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waits hears of it; perhaps nobody does any more

    async def intent(self, intent: Intent, place: CallPlace) -> None:
        """Durable before the request leaves."""
        if self._ending:
            raise Interrupted("the run is ending: no further attempt is begun")
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
        cost = receipt.cost_usd
        spent = self._prices.upper_bound(receipt.request) if cost is None else cost
        self._board.book(receipt.verdict, spent, priced=cost is not None)

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
    """Keeps the attempts of one call under the cell's name."""

    def __init__(self, calling: Calling, place: CallPlace) -> None:
        self._calling = calling
        self._place = place

    async def intent(self, intent: Intent) -> None:
        await self._calling.intent(intent, self._place)

    async def receipt(self, receipt: Receipt) -> None:
        await self._calling.receipt(receipt, self._place)


def _place(plan: Plan, cell: Cell, draw: int, round: int) -> CallPlace:
    return CallPlace(
        cell_id=cell.cell_id,
        subject_id=cell.subject_id,
        arm=cell.arm,
        condition=condition_of(plan, cell),
        replicate=cell.replicate,
        draw=draw,
        round=round,
        role="repair" if round else "writer",
    )


def request_of(
    plan: Plan, cell: Cell, messages: tuple[Message, ...], draw: int, round: int
) -> ModelRequest:
    """One call of a cell; its seed is of the draw, the same for every arm on the subject."""
    writer = model_writer(plan, cell.arm)
    provider, model = split_model(writer.model)
    return ModelRequest(
        provider=provider,
        model=model,
        messages=messages,
        max_output_tokens=writer.max_output_tokens,
        temperature=writer.temperature,
        top_p=writer.top_p,
        seed=plan.seed_of(cell, draw, round) if writer.seed else None,
    )


def model_writer(plan: Plan, arm: str) -> ModelWriterConfig:
    """The writer of an arm whose suites a model writes."""
    writer = plan.arms[arm].writer
    assert isinstance(writer, ModelWriterConfig)
    return writer


def condition_of(plan: Plan, cell: Cell) -> str:
    """The name of the prompt of a model's arm, else nothing."""
    return model_writer(plan, cell.arm).condition if cell.prompt else ""


def _lost(attempt: StoredAttempt) -> tuple[Receipt, CallPlace]:
    asked = attempt.asked
    turns = json.loads(asked["prompt"])
    request = ModelRequest(
        provider=asked["provider"],
        model=asked["model"],
        messages=tuple(Message(turn["role"], turn["text"]) for turn in turns),
        max_output_tokens=asked["max_output_tokens"],
    )
    intent = Intent(
        attempt.call_id, attempt.attempt, request, asked["parameters"], asked["started_at"]
    )
    return replace(unreceipted(intent), error=LOST), CallPlace(**asked["place"])
