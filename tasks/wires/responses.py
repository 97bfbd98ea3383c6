"""OpenAI responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tasks.finish import Kind, Reply
from tasks.model_records import ModelRequest, Provider, Usage
from tasks.wires.common import (
    Outgoing,
    ShapeError,
    bearer,
    count,
    credible,
    failure_of,
    given,
    mapping,
    objects,
    origin,
    outgoing,
    part_text,
    text,
)

REASONS: Mapping[str, Kind] = {"max_output_tokens": "length", "content_filter": "refused"}
TEXT_PARTS = ("output_text", "refusal")


def build(provider: Provider, request: ModelRequest) -> Outgoing:
    """POST responses. This format has no seed; nothing is left stored with the provider."""
    parameters = {
        "model": request.model,
        "max_output_tokens": request.max_output_tokens,
        "store": False,
        **given(temperature=request.temperature, top_p=request.top_p),
    }
    turns = [{"role": message.role, "content": message.text} for message in request.messages]
    return outgoing(provider, "responses", bearer(provider), parameters, {"input": turns})


def read(data: object) -> Reply:
    """A response object: all text parts of its messages, in order."""
    body = mapping(data)
    failure, code = failure_of(body) if body.get("error") else ("", "")
    if body.get("status") == "failed" and not failure:
        failure = "the response failed and gives no error"
    usage = _usage(mapping(body.get("usage")))
    if failure:
        return Reply(
            finish=text(body.get("status")),
            usage=usage,
            **origin(body),
            failure=failure,
            failure_code=code,
        )
    if not isinstance(body.get("output"), list):
        raise ShapeError("a response without output")
    return _reply(body, usage)


def _reply(body: Mapping[str, Any], usage: Usage) -> Reply:
    items = objects(body["output"])
    parts = list(_parts(items))
    reply_text = "".join(part_text(part) for part in parts if part.get("type") == "output_text")
    refusal = " ".join(text(part.get("refusal")) for part in parts if part.get("type") == "refusal")
    refused = any(part.get("type") == "refusal" for part in parts)
    finish, kind = _finish(body, items)
    return Reply(
        text=reply_text,
        finish=finish,
        kind="refused" if refused else kind,
        usage=credible(usage, reply_text),
        **origin(body),
        beyond_text=_beyond_text(items, parts),
        refusal=refusal,
        tier=text(body.get("service_tier")),
    )


def _parts(items: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for item in items:
        if item.get("type") == "message":
            yield from objects(item.get("content"))


def _finish(body: Mapping[str, Any], items: list[Mapping[str, Any]]) -> tuple[str, Kind | None]:
    status = text(body.get("status"))
    reason = text(mapping(body.get("incomplete_details")).get("reason"))
    if status == "incomplete" or reason:
        return reason or status, REASONS.get(reason)
    unfinished = [item for item in items if item.get("status") in ("incomplete", "in_progress")]
    if status == "completed" and unfinished:
        return "completed, with output that is not", None
    return status, "stop" if status == "completed" else None


def _beyond_text(items: list[Mapping[str, Any]], parts: list[Mapping[str, Any]]) -> str:
    kinds = [item.get("type") for item in items if item.get("type") not in ("message", "reasoning")]
    kinds += [part.get("type") for part in parts if part.get("type") not in TEXT_PARTS]
    return str(kinds[0] or "output of no type") if kinds else ""


def _usage(usage: Mapping[str, Any]) -> Usage:
    sources = mapping(usage.get("input_tokens_details"))
    details = mapping(usage.get("output_tokens_details"))
    return Usage(
        input_tokens=count(usage.get("input_tokens")),
        output_tokens=count(usage.get("output_tokens")),
        reasoning_tokens=count(details.get("reasoning_tokens")),
        cached_tokens=count(sources.get("cached_tokens")),
        cache_write_tokens=count(sources.get("cache_write_tokens")),
    )
