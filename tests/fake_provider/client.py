"""A plain client of the four formats, which shares nothing with the one that is tested."""

from __future__ import annotations

import asyncio
import http.client
import json
import urllib.parse
from dataclasses import dataclass
from typing import Any

from tests.fake_provider.asking import Wire

KEY = "sk-fake"


@dataclass(frozen=True)
class Got:
    """One answer as it came."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def payload(wire: Wire, model: str, prompt: str, cap: int) -> tuple[str, dict[str, Any]]:
    """(path, body) of a question."""
    turn = {"role": "user", "content": prompt}
    if wire == "gemini":
        contents = [{"role": "user", "parts": [{"text": prompt}]}]
        config = {"maxOutputTokens": cap}
        path = f"/v1beta/models/{model}:generateContent"
        return path, {"contents": contents, "generationConfig": config}
    if wire == "responses":
        sent = {"model": model, "input": [turn], "max_output_tokens": cap}
        return "/v1/responses", sent
    if wire == "anthropic":
        return "/v1/messages", {"model": model, "messages": [turn], "max_tokens": cap}
    sent = {"model": model, "messages": [turn], "max_completion_tokens": cap}
    return "/v1/chat/completions", sent


def key_headers(wire: Wire, key: str = KEY) -> dict[str, str]:
    """The headers in which a wire has its key."""
    if wire == "anthropic":
        return {"x-api-key": key, "anthropic-version": "2023-06-01"}
    return {"x-goog-api-key": key} if wire == "gemini" else {"authorization": f"Bearer {key}"}


def post(
    base_url: str, path: str, body: bytes, headers: dict[str, str], timeout: float = 30.0
) -> Got:
    """Send one request on a connection of its own."""
    address = urllib.parse.urlsplit(base_url).netloc
    connection = http.client.HTTPConnection(address, timeout=timeout)
    try:
        connection.request("POST", path, body, {"content-type": "application/json", **headers})
        answer = connection.getresponse()
        return Got(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
    finally:
        connection.close()


async def ask(
    base_url: str,
    wire: Wire,
    *,
    model: str = "m",
    prompt: str = "say it",
    cap: int = 1000,
    key: str = KEY,
    timeout: float = 30.0,
) -> Got:
    """One question in a wire format; a broken answer raises what http.client raises."""
    path, sent = payload(wire, model, prompt, cap)
    body = json.dumps(sent).encode()
    return await asyncio.to_thread(post, base_url, path, body, key_headers(wire, key), timeout)
