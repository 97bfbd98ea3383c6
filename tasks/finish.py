"""The one rule that says what a reply is worth, the same for every wire format.

A wire format only reports: the text, the raw reason for which the model stopped and which of three
known kinds that is, and what was counted. What follows from it is decided here and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tasks.model_records import CallVerdict, Usage

# The kinds of raw reasons that a wire format knows; every other reason, and none, is no kind.
Kind = Literal["stop", "length", "refused"]


@dataclass(frozen=True)
class Reply:
    """What a wire format read in the body of an answer, before anything is concluded from it.

    `finish` is the provider's own word, `kind` what it is known to mean (None: not known).
    `answered_by` is the model that it says it is, which may be a dated version of the one asked.
    `beyond_text` names output that is no text (a tool call, an image), which is never a suite.
    `refusal` is the refusal's own text, `tier` the service tier that the provider billed.
    `failure` is the message of an error that came inside the answer, `failure_code` its code.
    """

    text: str = ""
    finish: str = ""
    kind: Kind | None = None
    usage: Usage = field(default_factory=Usage)
    response_id: str = ""
    answered_by: str = ""
    beyond_text: str = ""
    refusal: str = ""
    tier: str = ""
    failure: str = ""
    failure_code: str = ""


def judge(reply: Reply, max_output_tokens: int) -> tuple[CallVerdict, str]:
    """The verdict on a reply, and why it is not usable (empty for `stop`, the only usable one).

    In this order: a refusal is `refused`; a reason known as a cut is `length`; a missing or
    unmapped reason is `unknown`; a stop beside output that is no text, or with no count of output
    tokens, is `unknown`; a stop with as many output tokens as the cap, or more, is `length`; a stop
    without text is `empty`. What is left is `stop`.
    """
    if reply.kind == "refused":
        return "refused", reply.refusal or f"refused: {reply.finish}"
    if reply.kind == "length":
        return "length", f"cut off: {reply.finish}"
    if reply.kind is None:
        named = f"unmapped finish reason {reply.finish!r}"
        return "unknown", named if reply.finish else "no finish reason"
    return _judge_stop(reply, max_output_tokens)


def _judge_stop(reply: Reply, cap: int) -> tuple[CallVerdict, str]:
    output = reply.usage.output_tokens
    if reply.beyond_text:
        return "unknown", f"the reply holds more than text: {reply.beyond_text}"
    if output is None:
        return "unknown", "says stop without a count of output tokens"
    if output >= cap:
        return "length", f"says stop with {output} output tokens at a cap of {cap}"
    if not reply.text.strip():
        return "empty", "says stop without any text"
    return "stop", ""
