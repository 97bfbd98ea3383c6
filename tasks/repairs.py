"""The repair of a suite: what a model is shown of its failures, and what it decides to do.

It is shown the tests that fail on the correct code and is not told which of the two is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from tasks.model_records import Message
from tasks.quoting import fenced
from tasks.records import Suite
from tasks.results import Validation

RepairOutcome = Literal["fixed_tests", "asks_code_change", "no_decision"]
_DECISION = re.compile(
    r"^[\s>*_`#]*DECISION[*_`]*:[\s*_`]*(fix tests|change code)[\s*_`.]*$",
    re.IGNORECASE | re.MULTILINE,
)
_OUTCOMES: dict[str, RepairOutcome] = {
    "fix tests": "fixed_tests",
    "change code": "asks_code_change",
}
_FAILING = {"failed", "error", "timeout", "crashed"}


@dataclass(frozen=True)
class Failure:
    """One test that fails on the correct code: its pytest node id, exception type and message."""

    test: str
    exception: str
    message: str


def failures_of(validation: Validation) -> tuple[Failure, ...]:
    """The tests that failed a baseline run, in order; the whole file if it was never collected."""
    if not validation.tests and validation.status != "valid":
        return (Failure("the file as a whole", validation.status, validation.reason),)
    return tuple(
        Failure(test.nodeid, test.exception, test.message)
        for test in validation.tests
        if _FAILING & set(test.baseline_outcomes)
    )


def read_decision(reply: str) -> RepairOutcome:
    """What the reply decides: by its first line that is not blank, else by the only such line.

    Emphasis around the line and upper or lower case make no difference; two different decisions
    further down are none.
    """
    first = reply.lstrip().split("\n", 1)[0]
    found = _DECISION.match(first)
    decisions = {(found.group(1) if found else "").lower()} - {""} or {
        each.lower() for each in _DECISION.findall(reply)
    }
    return _OUTCOMES[decisions.pop()] if len(decisions) == 1 else "no_decision"


def follow_up(
    asked: tuple[Message, ...], suite: Suite, question: tuple[Message, ...]
) -> tuple[Message, ...]:
    """The conversation that goes on after `suite`, under the system message it began with.

    What the condition showed stays in sight and nothing is added to it. The model's turn is its
    suite as it was run, so that the failures are about the text it sees.
    """
    turns = tuple(message for message in question if message.role != "system")
    return (*asked, Message("assistant", fenced(suite.source)), *turns)
