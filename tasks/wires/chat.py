"""OpenAI chat completions, and the many servers that copy it (vLLM, Ollama, proxies)."""

from __future__ import annotations

from collections.abc import Mapping
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
    seed_of,
    text,
)

# `eos` is Together's word for a natural end, `model_length` Mistral's for a full context window.
KINDS: Mapping[str, Kind] = {
    "stop": "stop",
    "eos": "stop",
    "length": "length",
    "model_length": "length",
    "content_filter": "refused",
}
BEYOND_TEXT = ("tool_calls", "function_call", "audio", "images")
# Kinds of parts that make no suite unusable: text, and the thoughts before it.
SILENT_PARTS = ("text", "thinking")


def build(provider: Provider, request: ModelRequest) -> Outgoing:
    """POST chat/completions; the output cap goes into the field that the server knows."""
    parameters = {
        "model": request.model,
        provider.cap_field: request.max_output_tokens,
        **given(temperature=request.temperature, top_p=request.top_p, seed=seed_of(request)),
    }
    turns = [{"role": message.role, "content": message.text} for message in request.messages]
    return outgoing(provider, "chat/completions", bearer(provider), parameters, {"messages": turns})


def read(data: object) -> Reply:
    """A chat completion; the first choice counts, since only one is asked for."""
    body = mapping(data)
    choices = objects(body.get("choices"))
    choice = choices[0] if choices else {}
    failure, code = failure_of(body if body.get("error") else choice)
    usage = _usage(mapping(body.get("usage")))
    if failure:
        return Reply(usage=usage, failure=failure, failure_code=code, **origin(body))
    if not isinstance(choice.get("message"), dict):
        raise ShapeError("a chat completion without a choice that holds a message")
    message = mapping(choice["message"])
    refusal, finish = text(message.get("refusal")), text(choice.get("finish_reason"))
    reply_text = _content(message)
    return Reply(
        text=reply_text,
        finish=finish,
        kind="refused" if refusal else KINDS.get(finish),
        usage=credible(usage, reply_text),
        **origin(body),
        beyond_text=_beyond_text(message),
        refusal=refusal,
        tier=text(body.get("service_tier")),
    )


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise ShapeError("a message whose content is neither text nor parts")
    return "".join(part_text(part) for part in objects(content) if part.get("type") == "text")


def _beyond_text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    parts = objects(content) if isinstance(content, list) else []
    others = [str(part.get("type")) for part in parts if part.get("type") not in SILENT_PARTS]
    return next((name for name in BEYOND_TEXT if message.get(name)), others[0] if others else "")


def _usage(usage: Mapping[str, Any]) -> Usage:
    details = mapping(usage.get("completion_tokens_details"))
    sources = mapping(usage.get("prompt_tokens_details"))
    sent = count(usage.get("prompt_tokens"))
    written = count(usage.get("completion_tokens"))
    reasoning = count(details.get("reasoning_tokens"))
    # Some servers count the reasoning beside the completion; the total gives them away.
    if reasoning and written is not None and sent is not None:
        beside = usage.get("total_tokens") == sent + written + reasoning
        written = written + reasoning if beside else written
    return Usage(
        input_tokens=sent,
        output_tokens=written,
        reasoning_tokens=reasoning,
        cached_tokens=count(sources.get("cached_tokens")),
        cache_write_tokens=count(sources.get("cache_write_tokens")),
    )
