"""Anthropic messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tasks.finish import Kind, Reply
from tasks.model_records import ModelRequest, Provider, Usage
from tasks.wires.common import (
    NO_MESSAGE,
    Outgoing,
    ShapeError,
    count,
    credible,
    failure_of,
    given,
    mapping,
    objects,
    origin,
    outgoing,
    part_text,
    system_text,
    text,
    total,
)

VERSION = "2023-06-01"
# No stop sequences are sent, so `stop_sequence` is not known to be a natural end.
KINDS: Mapping[str, Kind] = {
    "end_turn": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}
SILENT_BLOCKS = ("text", "thinking", "redacted_thinking")


def build(provider: Provider, request: ModelRequest) -> Outgoing:
    """POST messages. This format has no seed, and keeps the system message beside the turns."""
    parameters = {
        "model": request.model,
        "max_tokens": request.max_output_tokens,
        **given(temperature=request.temperature, top_p=request.top_p),
    }
    turns = [
        {"role": message.role, "content": message.text}
        for message in request.messages
        if message.role != "system"
    ]
    system = system_text(request.messages)
    prompt = {"system": system, "messages": turns} if system else {"messages": turns}
    headers = {"anthropic-version": VERSION}
    if provider.key:
        headers["x-api-key"] = provider.key
    return outgoing(provider, "messages", headers, parameters, prompt)


def read(data: object) -> Reply:
    """A message: all its text blocks, in order."""
    body = mapping(data)
    usage = _usage(mapping(body.get("usage")))
    if body.get("error") or body.get("type") == "error":
        failure, code = failure_of(body)
        failure = failure or NO_MESSAGE
        return Reply(usage=usage, failure=failure, failure_code=code, **origin(body))
    if not isinstance(body.get("content"), list):
        raise ShapeError("a message without content")
    blocks = objects(body["content"])
    reply_text = "".join(part_text(b) for b in blocks if b.get("type") == "text")
    others = [b.get("type") for b in blocks if b.get("type") not in SILENT_BLOCKS]
    finish = text(body.get("stop_reason"))
    return Reply(
        text=reply_text,
        finish=finish,
        kind=KINDS.get(finish),
        usage=credible(usage, reply_text),
        **origin(body),
        beyond_text=str(others[0] or "a block of no type") if others else "",
        refusal=text(mapping(body.get("stop_details")).get("explanation")),
        tier=text(mapping(body.get("usage")).get("service_tier")),
    )


def _usage(usage: Mapping[str, Any]) -> Usage:
    """Input is told in three parts here: plain, read from a cache, written to it."""
    plain = count(usage.get("input_tokens"))
    cached = count(usage.get("cache_read_input_tokens"))
    written = count(usage.get("cache_creation_input_tokens"))
    thinking = mapping(usage.get("output_tokens_details")).get("thinking_tokens")
    return Usage(
        input_tokens=None if plain is None else total((plain, cached, written)),
        output_tokens=count(usage.get("output_tokens")),
        reasoning_tokens=count(thinking),
        cached_tokens=cached,
        cache_write_tokens=written,
    )
