"""What a request asks, whatever its wire format: strict, so that a client's slip is met by 400."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Wire = Literal["chat", "responses", "anthropic", "gemini"]
WIRES: tuple[Wire, ...] = ("chat", "responses", "anthropic", "gemini")
_GEMINI = re.compile(r"/v1(?:beta)?/models/([^/:]+(?:/[^/:]+)*):generateContent")
_PATHS: dict[str, Wire] = {
    "/v1/chat/completions": "chat",
    "/v1/responses": "responses",
    "/v1/messages": "anthropic",
}
_ROLES = {"developer": "system", "model": "assistant"}


class BadRequestError(Exception):
    """The client sent what no server of this wire would take."""


@dataclass(frozen=True)
class Asked:
    """One request. `prompt` is its turns as a JSON list of {"role", "text"}; `body` is as sent."""

    wire: Wire
    model: str
    prompt: str
    cap: int
    key: str | None
    body: dict[str, Any]

    @property
    def prompt_sha256(self) -> str:
        return hashlib.sha256(self.prompt.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def text(self) -> str:
        """All that was said to the model, as one text in which a script's rule searches."""
        return "\n".join(turn["text"] for turn in json.loads(self.prompt))


def wire_of(path: str) -> Wire | None:
    """The format that is spoken at a path; None: nothing is there."""
    return "gemini" if _GEMINI.fullmatch(path) else _PATHS.get(path)


def read(path: str, headers: Mapping[str, str], body: bytes) -> Asked:
    """The request taken apart; BadRequestError says what is amiss. Header names in lower case."""
    wire = wire_of(path)
    try:
        sent = json.loads(body)
    except ValueError as error:
        raise BadRequestError(f"body is not JSON: {error}") from None
    if wire is None or not isinstance(sent, dict):
        raise BadRequestError("no request that is known here")
    if wire == "anthropic" and "anthropic-version" not in headers:
        raise BadRequestError("anthropic-version: header is required")
    try:
        turns = [{"role": _ROLES.get(r, r), "text": text} for r, text in _turns(wire, sent)]
        model = _model(wire, path, sent)
    except (KeyError, TypeError, IndexError) as error:
        raise BadRequestError(f"messages or model: {type(error).__name__}: {error}") from None
    return Asked(
        wire=wire,
        model=model,
        prompt=json.dumps(turns, ensure_ascii=False),
        cap=_cap(wire, sent),
        key=_key(wire, headers),
        body=sent,
    )


def _model(wire: Wire, path: str, sent: dict[str, Any]) -> str:
    if wire == "gemini":
        match = _GEMINI.fullmatch(path)
        assert match is not None
        return match.group(1)
    if not isinstance(sent["model"], str):
        raise TypeError("model is not text")
    return sent["model"]


def _turns(wire: Wire, sent: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if wire == "gemini":
        if "systemInstruction" in sent:
            yield "system", _text(sent["systemInstruction"]["parts"])
        for turn in sent["contents"]:
            yield turn["role"], _text(turn["parts"])
        return
    if wire == "responses":
        if "instructions" in sent:
            yield "system", _text(sent["instructions"])
        given = sent["input"]
        turns = [{"role": "user", "content": given}] if isinstance(given, str) else given
    else:
        if wire == "anthropic" and "system" in sent:
            yield "system", _text(sent["system"])
        turns = sent["messages"]
    for turn in turns:
        if wire == "anthropic" and turn["role"] not in ("user", "assistant"):
            raise TypeError(f"anthropic knows no role {turn['role']!r}")
        yield turn["role"], _text(turn["content"])


def _text(content: Any) -> str:
    """Text given plainly or as parts."""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content)


def _cap(wire: Wire, sent: dict[str, Any]) -> int:
    if wire == "gemini":
        cap = sent.get("generationConfig", {}).get("maxOutputTokens")
    elif wire == "responses":
        cap = sent.get("max_output_tokens")
    elif wire == "anthropic":
        cap = sent.get("max_tokens")
    else:
        cap = sent.get("max_completion_tokens", sent.get("max_tokens"))
    if not isinstance(cap, int) or cap < 1:
        raise BadRequestError("no output cap was sent")
    return cap


def _key(wire: Wire, headers: Mapping[str, str]) -> str | None:
    """The key, if it came in the header that this wire has for it."""
    if wire == "anthropic":
        return headers.get("x-api-key")
    if wire == "gemini":
        return headers.get("x-goog-api-key")
    kind, _, key = headers.get("authorization", "").partition(" ")
    return key if kind == "Bearer" else None
