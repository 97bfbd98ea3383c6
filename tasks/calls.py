"""Model calls: every try written down before it leaves and after it ends, one rule for all."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from tenacity import AsyncRetrying, RetryCallState, retry_if_result

from configs.errors import ConfigError
from tasks.answers import Finding, examine, without_key
from tasks.budget import Budget
from tasks.http import Answer, HttpClient
from tasks.model_records import Intent, ModelRequest, Provider, Receipt, Recorder
from tasks.pacing import CallPolicy, Gate, Patience
from tasks.prices import PriceBook
from tasks.wires import WIRES
from tasks.wires.common import Outgoing, one_line

__all__ = ["CallPolicy", "ModelClient"]


class ModelClient:
    """Asks models. Lives in one event loop; `aclose` when all calls are done."""

    def __init__(
        self,
        providers: Mapping[str, Provider],
        prices: PriceBook,
        policy: CallPolicy,
        budget: Budget,
    ) -> None:
        problems = [line for provider in providers.values() for line in _problems(provider)]
        if problems:
            raise ConfigError(problems)
        self._providers = dict(providers)
        self._gates = {
            name: Gate(provider.concurrency, provider.requests_per_minute)
            for name, provider in providers.items()
        }
        self._prices, self._policy, self._budget = prices, policy, budget
        self._https: dict[str, HttpClient] = {}

    async def call(
        self, call_id: str, request: ModelRequest, recorder: Recorder, *, first_attempt: int = 1
    ) -> Receipt:
        """Ask once, trying again where the provider fails; the last try's receipt decides.

        Each try is an intent, kept before the request leaves, and a receipt, kept before its text
        is returned; they are numbered from `first_attempt`. What a provider does never raises: its
        verdict is `error` after all tries. Raises BudgetError before an intent when the try could
        pass the budget, ConfigError for an unknown provider or an unpriced model, and whatever the
        recorder raises. A cancelled call leaves an intent without a receipt, and counts as spent.
        """
        provider = self._providers.get(request.provider)
        if provider is None:
            raise ConfigError(f"no provider {request.provider!r} for model {request.model!r}")
        patience = Patience(self._policy, call_id)
        call = _Call(
            call_id=call_id,
            request=request,
            recorder=recorder,
            provider=provider,
            outgoing=WIRES[provider.wire].build(provider, request),
            patience=patience,
            attempts=itertools.count(first_attempt),
        )
        retrying = AsyncRetrying(
            retry=retry_if_result(lambda tried: tried.again),
            wait=patience.pause_s,
            stop=patience.over,
            sleep=patience.pause,
            retry_error_callback=_last,
        )
        async with self._gates[provider.name].slot():
            tried: _Tried = await retrying(self._try, call)
        return tried.receipt

    async def aclose(self) -> None:
        """Close all connections."""
        for http in self._https.values():
            await http.aclose()

    def _http(self, provider: Provider) -> HttpClient:
        """One for each: a pool looks at all its connections whenever one of them is used."""
        if provider.name not in self._https:
            self._https[provider.name] = HttpClient()
        return self._https[provider.name]

    async def _try(self, call: _Call) -> _Tried:
        async with self._budget.reserve(self._prices.upper_bound(call.request)) as hold:
            await self._gates[call.provider.name].turn()
            attempt = next(call.attempts)
            parameters = call.outgoing.parameters
            await call.recorder.intent(
                Intent(call.call_id, attempt, call.request, parameters, time.time())
            )
            hold.begin()
            started_at = time.time()
            answer = await self._send(call)
            finding = examine(call.provider, call.request, answer)
            cost = self._cost(call.request, finding)
            hold.settle(cost)
            receipt = _receipt(call, attempt, answer, finding, cost, started_at)
            await call.recorder.receipt(receipt)
        call.patience.wish_s = finding.wish_s
        return _Tried(receipt, finding.again)

    async def _send(self, call: _Call) -> Answer:
        begun = time.monotonic()
        try:
            answer = await self._http(call.provider).post(
                call.outgoing.url,
                call.outgoing.headers,
                call.outgoing.body,
                call.patience.try_s,
            )
        finally:
            call.patience.spend(time.monotonic() - begun)
        return without_key(answer, call.provider.key)

    def _cost(self, request: ModelRequest, finding: Finding) -> float | None:
        if finding.unbilled:
            return 0.0
        return self._prices.cost(request, finding.reply.usage, finding.reply.tier)


@dataclass(frozen=True)
class _Call:
    """One call under way."""

    call_id: str
    request: ModelRequest
    recorder: Recorder
    provider: Provider
    outgoing: Outgoing
    patience: Patience
    attempts: Iterator[int]


@dataclass(frozen=True)
class _Tried:
    receipt: Receipt
    again: bool


def _last(state: RetryCallState) -> _Tried:
    assert state.outcome is not None  # tenacity asks only after a try
    tried: _Tried = state.outcome.result()
    return tried


def _receipt(
    call: _Call,
    attempt: int,
    answer: Answer,
    finding: Finding,
    cost: float | None,
    started_at: float,
) -> Receipt:
    reply = finding.reply
    return Receipt(
        call_id=call.call_id,
        attempt=attempt,
        request=call.request,
        parameters=call.outgoing.parameters,
        verdict=finding.verdict,
        reply=reply.text,
        raw=answer.body,
        http_status=answer.status,
        response_id=reply.response_id,
        answered_by=reply.answered_by,
        finish=reply.finish,
        usage=reply.usage,
        cost_usd=cost,
        started_at=started_at,
        ended_at=time.time(),
        error=one_line(finding.error),
    )


def _problems(provider: Provider) -> Iterator[str]:
    """What makes a provider unusable; never shows its key."""
    where = f"provider {provider.name}"
    try:
        parts = urlsplit(provider.base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if "@" in provider.base_url:
        yield f"{where}: base_url holds a user name; keys come from key_variable"
    elif not usable:
        yield f"{where}: base_url is no http or https address: {provider.base_url}"
    if provider.key and not (provider.key.isascii() and provider.key.isprintable()):
        yield f"{where}: its key holds characters that no key has (a line end, perhaps)"
    if provider.key and provider.key != provider.key.strip():
        yield f"{where}: its key begins or ends with a blank"
