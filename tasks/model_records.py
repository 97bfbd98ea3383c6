"""The nouns of model calls as frozen records: what is asked, of whom, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from tasks.records import sha256

Wire = Literal["chat", "responses", "anthropic", "gemini"]
Role = Literal["system", "user", "assistant"]
# Only a reply whose verdict is `stop` may be used. `error`: no reply at all after every try.
# `unreceipted` stands in the store only: begun, and the driver ended before its receipt was kept.
CallVerdict = Literal["stop", "length", "refused", "empty", "unknown", "error", "unreceipted"]


@dataclass(frozen=True)
class Provider:
    """A server of models. `key` never leaves the driver and is in no repr, row or message."""

    name: str
    wire: Wire
    base_url: str
    key: str | None = field(default=None, repr=False)
    cap_field: str = "max_completion_tokens"
    concurrency: int = 8
    requests_per_minute: int | None = None


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: Role
    text: str


def prompt_text(messages: Sequence[Message]) -> str:
    """A conversation as JSON."""
    return json.dumps([{"role": m.role, "text": m.text} for m in messages], ensure_ascii=False)


def prompt_sha256(messages: Sequence[Message]) -> str:
    """Hash of all that a model is asked."""
    return sha256(prompt_text(messages).encode("utf-8", "surrogatepass"))


@dataclass(frozen=True)
class ModelRequest:
    """One question to one model; parameters that are None are not sent."""

    provider: str
    model: str
    messages: tuple[Message, ...]
    max_output_tokens: int
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None

    @property
    def prompt(self) -> str:
        """The messages as JSON: what is stored and hashed."""
        return prompt_text(self.messages)

    @property
    def prompt_sha256(self) -> str:
        return prompt_sha256(self.messages)


@dataclass(frozen=True)
class Usage:
    """Tokens as the provider counted them; None: it did not say.

    `output_tokens` holds the reasoning too, whatever the wire format calls it; `input_tokens` holds
    those read from a cache and written to one.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


@dataclass(frozen=True)
class Intent:
    """A request that is about to leave. Durable before it does."""

    call_id: str
    attempt: int
    request: ModelRequest
    parameters: str
    started_at: float


@dataclass(frozen=True)
class Receipt:
    """One attempt of a call and all that came of it. Durable before its text is used.

    `parameters` is the JSON that was sent, less messages; times are seconds since 1970; `cost_usd`
    is None when it is not known, which is not zero; `raw` is the body as it came; `answered_by` is
    the model that the body names.
    """

    call_id: str
    attempt: int
    request: ModelRequest
    parameters: str
    verdict: CallVerdict
    reply: str = ""
    raw: bytes = b""
    http_status: int | None = None
    response_id: str = ""
    answered_by: str = ""
    finish: str = ""
    usage: Usage = Usage()
    cost_usd: float | None = None
    started_at: float = 0.0
    ended_at: float = 0.0
    error: str = ""

    @property
    def raw_sha256(self) -> str:
        return sha256(self.raw) if self.raw else ""


class Recorder(Protocol):
    """Who keeps intents and receipts: both return once they are durable."""

    async def intent(self, intent: Intent) -> None:
        """Keep that a request is about to leave."""

    async def receipt(self, receipt: Receipt) -> None:
        """Keep what came of an attempt."""
