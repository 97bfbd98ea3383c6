"""A model's answer as the four wire formats write it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tests.fake_provider.asking import Wire

Finish = Literal["stop", "length", "filter", "tool", "odd"]
ODD = "surprise"
TOOL = "run_tests"
USAGE = {"chat": "usage", "responses": "usage", "anthropic": "usage", "gemini": "usageMetadata"}
# Those of one wire are ways of that wire only: a model that declines and a filter that cuts in.
REFUSALS: dict[Wire, tuple[str, ...]] = {
    "chat": ("message", "filter"),
    "responses": ("message", "filter"),
    "anthropic": ("message", "silent"),
    "gemini": ("filter", "silent", "prompt"),
}
_CHAT = {"filter": "content_filter", "tool": "tool_calls", "odd": ODD}
_ANTHROPIC = {
    "stop": "end_turn",
    "length": "max_tokens",
    "filter": "refusal",
    "tool": "tool_use",
    "odd": ODD,
}
_GEMINI = {
    "stop": "STOP",
    "length": "MAX_TOKENS",
    "filter": "SAFETY",
    "tool": "STOP",
    "odd": ODD.upper(),
}


@dataclass(frozen=True)
class Said:
    """One answer, in no wire's words. `output_tokens` hold the reasoning; text None: left out."""

    response_id: str
    model: str
    text: str | None
    finish: Finish
    input_tokens: int
    output_tokens: int
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    tool: bool = False
    refusal: str | None = None


def body(wire: Wire, said: Said) -> dict[str, Any]:
    """The answer's JSON."""
    makers = {"chat": _chat, "responses": _responses, "anthropic": _anthropic, "gemini": _gemini}
    return makers[wire](said)


def _chat(said: Said) -> dict[str, Any]:
    call = {"id": "call_1", "type": "function", "function": {"name": TOOL, "arguments": "{}"}}
    message = {"role": "assistant", "content": said.text, "refusal": said.refusal}
    return {
        "id": said.response_id,
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": said.model,
        "choices": [
            {
                "index": 0,
                "message": {**message, **({"tool_calls": [call]} if said.tool else {})},
                "finish_reason": _CHAT.get(said.finish, said.finish),
            }
        ],
        "usage": {
            "prompt_tokens": said.input_tokens,
            "completion_tokens": said.output_tokens,
            "total_tokens": said.input_tokens + said.output_tokens,
            "prompt_tokens_details": {"cached_tokens": said.cached_tokens},
            "completion_tokens_details": {"reasoning_tokens": said.reasoning_tokens},
        },
    }


def _responses(said: Said) -> dict[str, Any]:
    output: list[dict[str, Any]] = []
    if said.reasoning_tokens:
        output.append({"type": "reasoning", "id": "rs_1", "summary": []})
    status = "incomplete" if said.finish in ("length", "filter", "odd") else "completed"
    if said.text is not None or said.refusal is not None:
        text: dict[str, Any] = {"type": "output_text", "text": said.text, "annotations": []}
        refusal = {"type": "refusal", "refusal": said.refusal}
        parts = [refusal if said.refusal is not None else text]
        output.append(
            {"type": "message", "id": "msg_1", "role": "assistant", "status": status}
            | {"content": parts}
        )
    if said.tool:
        output.append(
            {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": TOOL}
            | {"arguments": "{}", "status": "completed"}
        )
    reasons = {"length": "max_output_tokens", "filter": "content_filter", "odd": ODD}
    reason = reasons.get(said.finish)
    return {
        "id": said.response_id,
        "object": "response",
        "created_at": 1_790_000_000,
        "model": said.model,
        "status": status,
        "error": None,
        "incomplete_details": {"reason": reason} if reason else None,
        "output": output,
        "usage": {
            "input_tokens": said.input_tokens,
            "input_tokens_details": {"cached_tokens": said.cached_tokens},
            "output_tokens": said.output_tokens,
            "output_tokens_details": {"reasoning_tokens": said.reasoning_tokens},
            "total_tokens": said.input_tokens + said.output_tokens,
        },
    }


def _anthropic(said: Said) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if said.reasoning_tokens:
        content.append({"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"})
    text = said.refusal if said.refusal is not None else said.text
    if text is not None:
        content.append({"type": "text", "text": text})
    if said.tool:
        content.append({"type": "tool_use", "id": "toolu_1", "name": TOOL, "input": {}})
    return {
        "id": said.response_id,
        "type": "message",
        "role": "assistant",
        "model": said.model,
        "content": content,
        "stop_reason": _ANTHROPIC[said.finish],
        "stop_sequence": None,
        "usage": {
            # This wire counts what was read from a cache apart.
            "input_tokens": said.input_tokens - said.cached_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": said.cached_tokens,
            "output_tokens": said.output_tokens,
        },
    }


def _gemini(said: Said) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    if said.reasoning_tokens:
        parts.append({"text": "Let me see.", "thought": True})
    if said.text is not None:
        parts.append({"text": said.text})
    if said.tool:
        parts.append({"functionCall": {"name": TOOL, "args": {}}})
    usage = {
        "promptTokenCount": said.input_tokens,
        "candidatesTokenCount": said.output_tokens - said.reasoning_tokens,
        "thoughtsTokenCount": said.reasoning_tokens,
        "cachedContentTokenCount": said.cached_tokens,
    }
    content = {"role": "model", **({"parts": parts} if parts else {})}
    return {
        "candidates": [{"index": 0, "content": content, "finishReason": _GEMINI[said.finish]}],
        # The server leaves out what is zero.
        "usageMetadata": {name: count for name, count in usage.items() if count}
        | {"totalTokenCount": said.input_tokens + said.output_tokens},
        "modelVersion": said.model,
        "responseId": said.response_id,
    }
