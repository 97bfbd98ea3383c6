"""What an answer to a model call amounts to: a verdict, or a fault, and whether to try again."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tasks.finish import Reply, judge
from tasks.http import Answer, retry_after
from tasks.model_records import CallVerdict, ModelRequest, Provider
from tasks.wires import WIRES
from tasks.wires.common import ShapeError, failure_of, mapping, objects, text

RETRIED_STATUSES = (408, 409, 425, 429)
# Turned away before any work was done; providers do not bill these.
UNBILLED_STATUSES = (503, 529)
# Errors by which a provider refuses a prompt instead of answering it.
REFUSAL_CODES = ("content_filter", "content_policy_violation", "invalid_prompt")
# A limit of spend rather than of speed: waiting does not help.
FINAL_CODES = ("insufficient_quota",)
SHORTEST_SECRET = 8


@dataclass(frozen=True)
class Finding:
    """What was found in an answer.

    `error` says why there is no usable reply. `again`: a further try may do better. `unbilled`: it
    cost nothing for certain. `wish_s`: seconds that the server asks to wait.
    """

    verdict: CallVerdict
    reply: Reply = field(default_factory=Reply)
    error: str = ""
    again: bool = False
    unbilled: bool = False
    wish_s: float | None = None


def examine(provider: Provider, request: ModelRequest, answer: Answer) -> Finding:
    """Read an answer in its provider's wire format. Never raises, whatever the server sent."""
    if answer.status is None:
        error = f"{provider.name}: {answer.fault}"
        return Finding("error", error=error, again=True, unbilled=answer.refused)
    if not 200 <= answer.status < 300:
        return _turned_away(provider, request, answer, answer.status)
    if answer.fault:
        return Finding("error", error=f"{provider.name}: {answer.fault}", again=True)
    try:
        reply = WIRES[provider.wire].read(_decoded(answer.body))
    except ShapeError as error:
        return Finding("error", error=f"{provider.name} answers with {error}", again=True)
    if reply.failure:
        return _failed_inside(provider, reply)
    verdict, why = judge(reply, request.max_output_tokens)
    return Finding(verdict, reply, why)


def _failed_inside(provider: Provider, reply: Reply) -> Finding:
    """An error inside an answer that looked like a success."""
    code = reply.failure_code
    if code in REFUSAL_CODES:
        return Finding("refused", replace(reply, finish=code), reply.failure)
    error = f"{provider.name} answers with an error: {reply.failure}"
    return Finding("error", reply, error, again=code not in FINAL_CODES)


def _turned_away(provider: Provider, request: ModelRequest, answer: Answer, status: int) -> Finding:
    """An answer whose status says that there is no reply."""
    try:
        data: object = _decoded(answer.body)
    except ShapeError:
        data = {"message": answer.body[:1000].decode("utf-8", "replace")}
    message, code = failure_of(data)
    unbilled = status < 500 or status in UNBILLED_STATUSES
    if code in REFUSAL_CODES:
        return Finding("refused", Reply(finish=code), message, unbilled=unbilled)
    again = status >= 500 or status in RETRIED_STATUSES
    return Finding(
        "error",
        error=f"{_headline(provider, request, status)}: {message or 'no message'}",
        again=again and code not in FINAL_CODES,
        unbilled=unbilled,
        wish_s=_wish(answer.headers, data),
    )


def _headline(provider: Provider, request: ModelRequest, status: int) -> str:
    if status in (401, 403) and not provider.key:
        return f"{provider.name} asks for a key and none is set ({status})"
    if status in (401, 403):
        return f"{provider.name} refuses the key ({status})"
    if status == 404:
        return f"{provider.name} knows no model {request.model!r}, or nothing at its base_url (404)"
    if 300 <= status < 400:
        return f"{provider.name} redirects ({status}), which is not followed: mend its base_url"
    return f"{provider.name} answers {status}"


def _wish(headers: Mapping[str, str], data: object) -> float | None:
    """Seconds to wait, from the headers or from the body as Google has it ("retryDelay": "31s")."""
    wish = retry_after(headers)
    if wish is not None:
        return wish
    details = mapping(mapping(data).get("error")).get("details")
    try:
        delays = [text(item.get("retryDelay")) for item in objects(details)]
        wishes = [float(delay.removesuffix("s")) for delay in delays if delay]
    except ValueError:  # of which ShapeError is one
        return None
    return max((wish for wish in wishes if 0 <= wish < math.inf), default=None)


def _decoded(body: bytes) -> Any:
    def no_number(name: str) -> None:
        raise ShapeError(f"JSON that holds {name}")

    try:
        return json.loads(body, parse_constant=no_number)
    except ShapeError:
        raise
    except (ValueError, RecursionError):
        raise ShapeError(f"{len(body)} bytes that are not JSON") from None


def without_key(answer: Answer, key: str | None) -> Answer:
    """The answer with the key blotted out wherever the server echoes it.

    A word of fewer than SHORTEST_SECRET characters ("EMPTY", "ollama") is no secret and stays.
    """
    if key is None or len(key) < SHORTEST_SECRET:
        return answer
    body, fault = answer.body, answer.fault
    for form in (key, json.dumps(key)[1:-1], json.dumps(key)[1:-1].replace("/", "\\/")):
        body = body.replace(form.encode(), b"[key]")
        fault = fault.replace(form, "[key]")
    return replace(answer, body=body, fault=fault)
