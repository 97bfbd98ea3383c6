"""What a script holds, and how the part that is played for a request is found.

    {"key": "sk-1", "seed": 7,
     "default": {"reply": {"text": "def test_a(): pass"}, "delay_s": 0.01},
     "rules": [{"share": 0.1, "do": "rate_limited", "retry_after": 1},
               {"model": "hasty*", "reply": {"suite": "weak"}},
               {"prompt": "def chunk(", "nth": [1, 2], "do": "error_500"}],
     "suites": [{"find": ["def chunk("], "kinds": {"weak": "..."}}]}

Rules are tried in order; what a rule leaves out is taken from the next that matches, and in the end
from `default`. Which request is hit by `share` hangs on the seed, the rule, the model, the prompt
and how often that was asked, so that it is the same in every run and at any concurrency.
"""

from __future__ import annotations

import fnmatch
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from tests.fake_provider.asking import Asked

Do = Literal[
    "normal",  # the reply, cut at the cap with the wire's own reason if it is longer
    "length",  # cut at the cap, and says so
    "cut_below",  # cut below the cap, and says stop
    "stop_at_cap",  # says stop, with its output at the cap
    "rate_limited",  # 429; retry_after in seconds, or retry_after_date: a date that many on
    "error_500",
    "error_503",
    "error_529",
    "hang",  # way headers: no answer; body: the head of one
    "drip",  # a byte every every_s seconds, for ever; way body or headers
    "reset",  # half a body, then a reset connection
    "short_body",  # half a body, then an end; way complete: all but some blanks; way chunked
    "disconnect",  # an orderly end before any byte
    "garbage",  # what is no HTTP
    "flood",  # a body without end, as fast as it is read
    "bad_json",  # way cut, html, or bytes that are not UTF-8
    "wrong_shape",  # JSON, but way object, list, null, or inner
    "error_in_200",
    "empty",  # way none, blank, or null
    "refusal",  # in the ways of REFUSALS
    "no_usage",  # way missing or null
    "no_finish",  # way missing or null
    "odd_finish",  # a reason that nobody knows
    "wrong_key",  # 401
    "unknown_model",  # 404
    "tool_call",  # way alone, or with_text
    "reasoning_only",  # the cap is spent on thoughts
]
DOINGS: tuple[Do, ...] = get_args(Do)
Seconds = Annotated[float, Field(ge=0)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Reply(_Part):
    """The model's text: given, in a file, or the suite of this kind that the prompt is about."""

    text: str | None = None
    file: Path | None = None
    suite: str | None = None


class Suites(_Part):
    """Replies by kind for prompts that hold any of some texts."""

    find: tuple[str, ...]
    kinds: dict[str, str]


class Behaviour(_Part):
    """What is done with a request. None: left to the next rule."""

    do: Do | None = None
    way: str = ""
    retry_after: int | None = None
    retry_after_date: int | None = None
    every_s: Seconds = 0.05
    reply: Reply | None = None
    delay_s: Seconds | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None


class Rule(Behaviour):
    """A behaviour and the requests it is for: those that meet every condition that is stated.

    `model` is a shell pattern, `prompt` a text within the prompt; `nth` counts from 1 the times
    that this model was asked this prompt, `request` all requests; `share` is of those left.
    """

    model: str = "*"
    prompt: str = ""
    nth: tuple[int, ...] = ()
    request: tuple[int, ...] = ()
    share: Annotated[float, Field(ge=0, le=1)] = 1.0


@dataclass(frozen=True)
class Played:
    """A behaviour with nothing left open. `reply` is the model's whole text."""

    do: Do
    way: str
    retry_after: int | None
    retry_after_date: int | None
    every_s: float
    reply: str
    delay_s: float
    reasoning_tokens: int
    cached_tokens: int


class Script(_Part):
    """A whole script; the empty one answers every request with a small suite.

    With a `key`, a request without it gets 401; with `models`, one to another model gets 404.
    """

    default: Behaviour = Behaviour()
    rules: tuple[Rule, ...] = ()
    suites: tuple[Suites, ...] = ()
    key: str | None = None
    models: tuple[str, ...] = ()
    seed: int = 0

    def play(self, asked: Asked, nth: int, request: int) -> Played:
        """What to do with this request."""
        found: list[Behaviour] = [*self._matching(asked, nth, request), self.default]
        doing = next((each for each in found if each.do is not None), Behaviour(do="normal"))
        if self.key is not None and asked.key != self.key:
            doing = Behaviour(do="wrong_key")
        elif self.models and asked.model not in self.models:
            doing = Behaviour(do="unknown_model")
        assert doing.do is not None
        return Played(
            do=doing.do,
            way=doing.way,
            retry_after=doing.retry_after,
            retry_after_date=doing.retry_after_date,
            every_s=doing.every_s,
            reply=self._reply(next((b.reply for b in found if b.reply is not None), None), asked),
            delay_s=next((b.delay_s for b in found if b.delay_s is not None), 0.0),
            reasoning_tokens=next((b.reasoning_tokens for b in found if b.reasoning_tokens), 0),
            cached_tokens=next((b.cached_tokens for b in found if b.cached_tokens), 0),
        )

    def _matching(self, asked: Asked, nth: int, request: int) -> Iterator[Rule]:
        for number, rule in enumerate(self.rules):
            if (
                fnmatch.fnmatchcase(asked.model, rule.model)
                and rule.prompt in asked.text
                and (not rule.nth or nth in rule.nth)
                and (not rule.request or request in rule.request)
                and self._chance(number, asked, nth) < rule.share
            ):
                yield rule

    def _chance(self, number: int, asked: Asked, nth: int) -> float:
        """In [0, 1), of this rule and this request."""
        text = f"{self.seed}/{number}/{asked.model}/{asked.prompt_sha256}/{nth}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48

    def _reply(self, reply: Reply | None, asked: Asked) -> str:
        if reply is None:
            return SMALL_SUITE
        if reply.file is not None:
            return reply.file.read_text(encoding="utf-8")
        if reply.suite is not None:
            for suites in self.suites:
                if any(text in asked.text for text in suites.find):
                    return suites.kinds.get(reply.suite, UNKNOWN_SUITE)
            return UNKNOWN_SUITE
        return reply.text or ""


SMALL_SUITE = "Here are the tests.\n\n```python\ndef test_one():\n    assert 1 + 1 == 2\n```\n"
UNKNOWN_SUITE = "I do not know what this is about, so there are no tests."
