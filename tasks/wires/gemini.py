"""Gemini generateContent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from tasks.finish import Kind, Reply
from tasks.model_records import ModelRequest, Provider, Usage
from tasks.wires.common import (
    Origin,
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
    seed_of,
    system_text,
    text,
    total,
)

ROLES = {"user": "user", "assistant": "model"}
KINDS: Mapping[str, Kind] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "refused",
    "RECITATION": "refused",
    "LANGUAGE": "refused",
    "BLOCKLIST": "refused",
    "PROHIBITED_CONTENT": "refused",
    "SPII": "refused",
    "IMAGE_SAFETY": "refused",
}
# What a part of text may hold beside it; any other key makes the part something else.
TEXT_KEYS = {"text", "thought", "thoughtSignature"}


def build(provider: Provider, request: ModelRequest) -> Outgoing:
    """POST models/<model>:generateContent; the parameters are its generationConfig."""
    config = {
        "maxOutputTokens": request.max_output_tokens,
        **given(temperature=request.temperature, topP=request.top_p, seed=seed_of(request)),
    }
    turns = [
        {"role": ROLES[message.role], "parts": [{"text": message.text}]}
        for message in request.messages
        if message.role != "system"
    ]
    prompt: dict[str, Any] = {"contents": turns}
    if system := system_text(request.messages):
        prompt["systemInstruction"] = {"parts": [{"text": system}]}
    # A header, never the query: addresses end up in logs.
    headers = {"x-goog-api-key": provider.key} if provider.key else {}
    path = f"models/{quote(request.model, safe='')}:generateContent"
    return outgoing(provider, path, headers, {"generationConfig": config}, prompt)


def read(data: object) -> Reply:
    """A GenerateContentResponse; the first candidate counts, since only one is asked for."""
    body = mapping(data[0] if isinstance(data, list) and data else data)
    usage, said = _usage(body), origin(body, "responseId", "modelVersion")
    if body.get("error"):
        failure, code = failure_of(body)
        return Reply(usage=usage, failure=failure, failure_code=code, **said)
    blocked = text(mapping(body.get("promptFeedback")).get("blockReason"))
    candidates = objects(body.get("candidates"))
    if not candidates and not blocked:
        raise ShapeError("a response with neither a candidate nor a reason for none")
    return _reply(candidates[0] if candidates else {}, blocked, usage, said)


def _reply(candidate: Mapping[str, Any], blocked: str, usage: Usage, said: Origin) -> Reply:
    finish = blocked or text(candidate.get("finishReason"))
    parts = objects(mapping(candidate.get("content")).get("parts"))
    reply_text = "".join(part_text(p) for p in parts if "text" in p and not p.get("thought"))
    others = sorted(key for part in parts for key in part if key not in TEXT_KEYS)
    return Reply(
        text=reply_text,
        finish=finish,
        kind="refused" if blocked else KINDS.get(finish),
        usage=credible(usage, reply_text),
        **said,
        beyond_text=others[0] if others else "",
        refusal=text(candidate.get("finishMessage")),
    )


def _usage(body: Mapping[str, Any]) -> Usage:
    """Thoughts are counted beside the candidates here, and a count of zero is left out."""
    usage = mapping(body.get("usageMetadata"))
    sent = total(
        (count(usage.get("promptTokenCount")), count(usage.get("toolUsePromptTokenCount")))
    )
    thoughts, everything = (
        count(usage.get("thoughtsTokenCount")),
        count(usage.get("totalTokenCount")),
    )
    written = total((count(usage.get("candidatesTokenCount")), thoughts))
    if written is None and sent is not None and everything is not None and everything >= sent:
        written = everything - sent
    return Usage(
        input_tokens=sent,
        output_tokens=written,
        reasoning_tokens=thoughts,
        cached_tokens=count(usage.get("cachedContentTokenCount")),
    )
