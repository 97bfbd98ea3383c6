"""What the wire formats share: careful reading of strangers' JSON, addresses, and error bodies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypedDict
from urllib.parse import urlsplit, urlunsplit

from tasks.finish import Reply
from tasks.model_records import Message, ModelRequest, Provider, Usage

# Providers take seeds of 31 bits (Gemini) or more; one width for all keeps draws comparable.
SEED_MASK = 0x7FFFFFFF
ERROR_CHARACTERS = 500
NO_MESSAGE = "an error without a message"


class ShapeError(ValueError):
    """An answer that is not what its wire format promises; the message says what is missing."""


@dataclass(frozen=True)
class Outgoing:
    """A request ready to leave. `parameters` is its body less the messages, as JSON.

    The headers hold the key and are in no repr.
    """

    url: str
    parameters: str
    body: bytes
    headers: Mapping[str, str] = field(repr=False)


class WireFormat(Protocol):
    """One format: how a question is put, and how an answer is read."""

    def build(self, provider: Provider, request: ModelRequest) -> Outgoing:
        """The request as this format has it."""

    def read(self, data: object) -> Reply:
        """What a decoded body says; raises ShapeError where it is not of this format."""


def outgoing(
    provider: Provider,
    path: str,
    headers: Mapping[str, str],
    parameters: Mapping[str, Any],
    prompt: Mapping[str, Any],
) -> Outgoing:
    """Put a request together from its parameters and its messages, which are kept apart."""
    body = json.dumps({**parameters, **prompt}).encode("ascii")
    return Outgoing(
        url=_address(provider.base_url, path),
        parameters=json.dumps(parameters, sort_keys=True),
        body=body,
        headers={"content-type": "application/json", **headers},
    )


def _address(base_url: str, path: str) -> str:
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/{path}", fragment=""))


def bearer(provider: Provider) -> dict[str, str]:
    """The header that carries the key of OpenAI and most that copy it; nothing without a key."""
    return {"authorization": f"Bearer {provider.key}"} if provider.key else {}


def given(**parameters: float | int | None) -> dict[str, float | int]:
    """The parameters that are set."""
    return {name: value for name, value in parameters.items() if value is not None}


def seed_of(request: ModelRequest) -> int | None:
    """The seed that is sent, where a format has seeds."""
    return None if request.seed is None else request.seed & SEED_MASK


def system_text(messages: Sequence[Message]) -> str:
    """All system messages as one, for formats that keep them beside the conversation."""
    return "\n\n".join(message.text for message in messages if message.role == "system")


def mapping(value: object) -> Mapping[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[Mapping[str, Any]]:
    """The objects of a JSON array; empty for null, ShapeError for anything else."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ShapeError("something else where a list of objects belongs")
    return value


def part_text(part: Mapping[str, Any]) -> str:
    """The text of a part that must have one: dropped in silence it would be a text cut short."""
    if "text" not in part or not isinstance(part["text"], str | None):
        raise ShapeError("a part of text without text")
    return part["text"] or ""


def text(value: object) -> str:
    """The value if it is text, else empty."""
    return value if isinstance(value, str) else ""


class Origin(TypedDict):
    """Fields of a Reply that say which answer it is, and whose."""

    response_id: str
    answered_by: str


def origin(body: Mapping[str, Any], name: str = "id", model: str = "model") -> Origin:
    """What a body says of itself: its id, and the model that answers."""
    return {"response_id": text(body.get(name)), "answered_by": text(body.get(model))}


def count(value: object) -> int | None:
    """The value if it can be a number of tokens."""
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if whole else None  # type: ignore[return-value]


def total(counts: Iterable[int | None]) -> int | None:
    """The sum of the counts that are known, None when none is."""
    known = [number for number in counts if number is not None]
    return sum(known) if known else None


def credible(usage: Usage, reply_text: str) -> Usage:
    """Usage with counts that cannot be true taken for absent.

    A server that does not count says 0; text of no tokens, or a reply to nothing, does not exist.
    """
    return Usage(
        input_tokens=usage.input_tokens or None,
        output_tokens=usage.output_tokens or (None if reply_text else usage.output_tokens),
        reasoning_tokens=usage.reasoning_tokens,
        cached_tokens=usage.cached_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )


def failure_of(data: object) -> tuple[str, str]:
    """Message and code of an error body of any of the formats; both empty if it is none."""
    body = mapping(data[0] if isinstance(data, list) and data else data)
    error = body.get("error")
    if isinstance(error, dict) and error:
        code = error.get("code") or error.get("type") or error.get("status")
        message = text(error.get("message")) or json.dumps(error)
        return one_line(message) or NO_MESSAGE, one_line(str(code or ""))
    if error:
        return one_line(str(error)) or NO_MESSAGE, ""
    return one_line(text(body.get("message")) or text(body.get("detail"))), ""


def one_line(message: str) -> str:
    """A stranger's message made fit for one line."""
    return " ".join(message.split())[:ERROR_CHARACTERS]
