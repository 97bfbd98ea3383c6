"""The rule that says what a reply is worth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.finish import Kind, Reply, judge
from tasks.model_records import Usage

CAP = 100
SOME = Usage(input_tokens=10, output_tokens=50)
AT_CAP = Usage(input_tokens=10, output_tokens=CAP)


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        (Reply("text", "stop", "stop", SOME), "stop"),
        (Reply("text", "length", "length", SOME), "length"),
        (Reply("text", "length", "length"), "length"),
        (Reply("text", "filter", "refused", SOME), "refused"),
        (Reply("", "filter", "refused"), "refused"),
        (Reply("text", "", None, SOME), "unknown"),
        (Reply("text", "surprise", None, SOME), "unknown"),
        (Reply("text", "stop", "stop"), "unknown"),
        (Reply("text", "stop", "stop", Usage(input_tokens=10)), "unknown"),
        (Reply("", "stop", "stop"), "unknown"),
        (Reply("text", "stop", "stop", AT_CAP), "length"),
        (Reply("text", "stop", "stop", Usage(10, CAP + 1)), "length"),
        (Reply("text", "stop", "stop", Usage(10, CAP - 1)), "stop"),
        (Reply("", "stop", "stop", AT_CAP), "length"),
        (Reply("", "stop", "stop", SOME), "empty"),
        (Reply(" \n\t", "stop", "stop", SOME), "empty"),
        (Reply("text", "stop", "stop", SOME, beyond_text="tool_calls"), "unknown"),
    ],
)
def test_each_kind_of_end_has_its_verdict(reply: Reply, verdict: str) -> None:
    assert judge(reply, CAP)[0] == verdict


def test_only_a_usable_reply_needs_no_reason() -> None:
    assert judge(Reply("text", "stop", "stop", SOME), CAP) == ("stop", "")
    assert "surprise" in judge(Reply("text", "surprise", None, SOME), CAP)[1]
    assert "cap of 100" in judge(Reply("text", "stop", "stop", AT_CAP), CAP)[1]
    assert judge(Reply(kind="refused", refusal="I will not."), CAP) == ("refused", "I will not.")


@given(
    text=st.text(max_size=5),
    finish=st.text(max_size=5),
    kind=st.sampled_from([None, "stop", "length", "refused"]),
    output=st.none() | st.integers(0, 200),
    beyond=st.sampled_from(["", "tool_use"]),
)
def test_stop_is_earned_by_every_condition_and_by_nothing_else(
    text: str, finish: str, kind: Kind | None, output: int | None, beyond: str
) -> None:
    reply = Reply(text, finish, kind, Usage(1, output), beyond_text=beyond)
    verdict, why = judge(reply, CAP)
    earned = kind == "stop" and output is not None and output < CAP and not beyond
    assert (verdict == "stop") == (earned and bool(text.strip()))
    assert (verdict == "stop") == (not why)
