"""Bodies that no server would send: no format raises, and none takes them for a usable reply."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.answers import examine
from tasks.http import Answer
from tasks.model_records import Message, ModelRequest, Provider
from tasks.wires import WIRES
from tests.fake_provider import Wire
from tests.tasks.wires.test_reading import MAKERS

NAMES = [
    *("id", "error", "choices", "message", "content", "finish_reason", "usage", "refusal"),
    *("status", "output", "type", "text", "incomplete_details", "reason", "stop_reason"),
    *("candidates", "parts", "finishReason", "usageMetadata", "promptFeedback", "blockReason"),
    *("prompt_tokens", "completion_tokens", "output_tokens", "candidatesTokenCount", "code"),
]
WORDS = ["stop", "completed", "end_turn", "STOP", "message", "text", "output_text", "length"]
LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(WORDS)
JSON = st.recursive(
    LEAVES | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=2), inner, max_size=4)
    ),
    max_leaves=25,
)


def asked(wire: Wire, body: bytes) -> tuple[str, Any]:
    provider = Provider("p", wire, "http://host/v1", "sk-0123456789")
    request = ModelRequest("p", "m", (Message("user", "hi"),), 1000)
    finding = examine(provider, request, Answer(200, {}, body))
    return finding.verdict, finding


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=150, deadline=None)
@given(body=JSON)
def test_no_json_raises_and_a_stop_has_text_and_a_count(wire: Wire, body: Any) -> None:
    verdict, finding = asked(wire, json.dumps(body).encode())
    if verdict == "stop":
        assert finding.reply.text.strip()
        assert finding.reply.usage.output_tokens is not None
        assert finding.reply.finish in WORDS
    else:
        assert finding.error


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=100, deadline=None)
@given(body=st.binary(max_size=60))
def test_no_bytes_raise_and_none_are_usable(wire: Wire, body: bytes) -> None:
    assert asked(wire, body)[0] != "stop"


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_good_reply_cut_anywhere_is_not_usable(wire: Wire, data: st.DataObject) -> None:
    whole = json.dumps(MAKERS[wire]()).encode()
    assert asked(wire, whole)[0] == "stop"
    cut = data.draw(st.integers(0, len(whole) - 1))
    assert asked(wire, whole[:cut])[0] == "error"


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=150, deadline=None)
@given(data=st.data(), junk=JSON)
def test_a_good_reply_with_one_value_replaced_never_raises(
    wire: Wire, data: st.DataObject, junk: Any
) -> None:
    body = json.loads(json.dumps(MAKERS[wire]()))
    place: Any = body
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            break
        place = inner
    place[key] = junk
    verdict, finding = asked(wire, json.dumps(body).encode())
    assert verdict != "stop" or finding.reply.usage.output_tokens is not None


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"9" * 10_000,
        b'{"usage": NaN}',
        b"\xef\xbb\xbf{}",
        b"\xff\xfe\x00",
        b"event: done\ndata: {}\n\n",
    ],
)
def test_hostile_bytes_are_an_error_that_is_tried_again(wire: Wire, body: bytes) -> None:
    verdict, finding = asked(wire, body)
    assert (verdict, finding.again) == ("error", True)
