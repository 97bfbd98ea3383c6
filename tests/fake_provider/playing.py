"""What goes over the wire for a request: status, headers, body, and how the sending goes wrong."""

from __future__ import annotations

import email.utils
import hashlib
import json
import time
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from tests.fake_provider.asking import Asked
from tests.fake_provider.failing import error, error_in_200, wrong_shape
from tests.fake_provider.saying import REFUSALS, USAGE, Said, body
from tests.fake_provider.script import Played

Sending = Literal["whole", "hang", "drip", "reset", "short_body", "disconnect", "garbage", "flood"]
_STATUS = {
    "rate_limited": 429,
    "error_500": 500,
    "error_503": 503,
    "error_529": 529,
    "wrong_key": 401,
    "unknown_model": 404,
}
_SENDINGS: dict[str, Sending] = {name: name for name in get_args(Sending)}
CHARACTERS = 4  # of a token


@dataclass(frozen=True)
class Answer:
    """All that is sent. `paid`: an answer was made, with output tokens that a server bills."""

    body: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("content-type", "application/json"),)
    sending: Sending = "whole"
    response_id: str = ""
    output_tokens: int = 0
    paid: bool = False


def answer(asked: Asked, played: Played, request: int) -> Answer:
    """The answer to the request of this number."""
    if played.do in _STATUS:
        status = _STATUS[played.do]
        # A server may well echo the key that it refuses.
        why = f"wrong key: {asked.key}" if status == 401 else f"played: {played.do}"
        failed = error(asked.wire, status, why)
        return Answer(_json(failed), status, headers=(*Answer.headers, *_retry_after(played)))
    digest = hashlib.sha256(f"{asked.prompt_sha256}/{request}".encode()).hexdigest()
    response_id = f"fake-{request}-{digest[:12]}"
    if played.do == "error_in_200":
        return Answer(
            _json(error_in_200(asked.wire, played.way, response_id, _input_tokens(asked)))
        )
    if played.do == "wrong_shape":
        return Answer(_json(wrong_shape(asked.wire, played.way)))
    said = _said(asked, played, response_id)
    whole = Answer(
        _json(_mended(asked, played, body(asked.wire, said))),
        sending=_SENDINGS.get(played.do, "whole"),
        response_id=response_id,
        output_tokens=said.output_tokens,
        paid=True,
    )
    return _broken(whole, played.way) if played.do == "bad_json" else whole


def _said(asked: Asked, played: Played, response_id: str) -> Said:
    """The answer before a wire format; an ordinary one is cut at the cap, as any server does."""
    room = max(0, asked.cap - played.reasoning_tokens)
    tokens = max(1, len(played.reply) // CHARACTERS)
    fits = tokens < room
    whole = Said(
        response_id=response_id,
        model=asked.model,
        text=played.reply if fits else played.reply[: room * CHARACTERS],
        finish="stop" if fits else "length",
        input_tokens=_input_tokens(asked),
        output_tokens=min(tokens, room) + min(played.reasoning_tokens, asked.cap),
        reasoning_tokens=min(played.reasoning_tokens, asked.cap),
        cached_tokens=played.cached_tokens,
    )
    half = played.reply[: len(played.reply) // 2]
    if played.do == "length":
        return replace(whole, text=half, finish="length", output_tokens=asked.cap)
    if played.do == "cut_below":
        return replace(
            whole, text=half, finish="stop", output_tokens=max(1, len(half) // CHARACTERS)
        )
    if played.do == "stop_at_cap":
        return replace(whole, finish="stop", output_tokens=asked.cap)
    if played.do == "reasoning_only":
        thoughts = replace(whole, output_tokens=asked.cap, reasoning_tokens=asked.cap)
        return replace(thoughts, text="" if asked.wire == "chat" else None, finish="length")
    if played.do == "empty":
        text = {"blank": " \n ", "null": None}.get(played.way, "")
        return replace(whole, text=text, finish="stop", output_tokens=1)
    if played.do == "odd_finish":
        return replace(whole, finish="odd")
    if played.do == "tool_call":
        text = "Let me run the tests." if played.way == "with_text" else None
        return replace(whole, text=text, finish="tool", tool=True, output_tokens=9)
    return _refusal(asked, played, whole) if played.do == "refusal" else whole


def _input_tokens(asked: Asked) -> int:
    return max(1, len(asked.text) // CHARACTERS)


def _refusal(asked: Asked, played: Played, whole: Said) -> Said:
    way = played.way or REFUSALS[asked.wire][0]
    if way not in REFUSALS[asked.wire]:
        raise ValueError(f"{asked.wire} does not refuse by {way!r}")
    short = replace(whole, text=None, output_tokens=8)
    words = "I cannot help with that."
    if asked.wire == "anthropic":
        return replace(short, finish="filter", refusal=words if way == "message" else None)
    if way == "message":
        return replace(short, finish="stop", refusal=words)
    text = None if way == "silent" else whole.text
    return replace(short, finish="filter", text=text)


def _mended(asked: Asked, played: Played, made: dict[str, Any]) -> dict[str, Any]:
    """Fields taken out of, or put into, an answer after a wire's own fashion."""
    wire, way = asked.wire, played.way
    if played.do == "no_usage":
        return {**made, USAGE[wire]: None} if way == "null" else _without(made, USAGE[wire])
    if played.do == "refusal" and way == "prompt":
        return _without(made, "candidates") | {"promptFeedback": {"blockReason": "OTHER"}}
    if played.do not in ("no_finish", "odd_finish"):
        return made
    name = {"chat": "finish_reason", "anthropic": "stop_reason", "gemini": "finishReason"}
    place = made
    if wire == "chat":
        place = made["choices"][0]
    elif wire == "gemini":
        place = made["candidates"][0]
    field = name.get(wire, "status")
    if played.do == "no_finish" and way == "null":
        place[field] = None
    elif played.do == "no_finish":
        del place[field]
    elif way and wire == "responses":
        made["incomplete_details"] = {"reason": way}
    elif way:
        place[field] = way
    return made


def _without(made: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in made.items() if key != name}


def _broken(whole: Answer, way: str) -> Answer:
    if way == "html":
        page = b"<html><body><h1>Bad gateway</h1></body></html>"
        return replace(whole, body=page, headers=(("content-type", "text/html"),))
    if way == "bytes":
        return replace(whole, body=b'{"id": "\xff\xfe' + whole.body)
    return replace(whole, body=whole.body[: len(whole.body) // 2])


def _retry_after(played: Played) -> tuple[tuple[str, str], ...]:
    if played.retry_after_date is not None:
        at = time.time() + played.retry_after_date
        return (("retry-after", email.utils.formatdate(at, usegmt=True)),)
    return () if played.retry_after is None else (("retry-after", str(played.retry_after)),)


def _json(made: Any) -> bytes:
    return json.dumps(made, ensure_ascii=False).encode("utf-8", "surrogatepass")
