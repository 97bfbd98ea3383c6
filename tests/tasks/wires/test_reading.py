"""What each wire format reads in bodies as their servers write them."""

from __future__ import annotations

from typing import Any

import pytest

from tasks.finish import judge
from tasks.model_records import Usage
from tasks.wires import WIRES
from tasks.wires.common import ShapeError, failure_of
from tests.fake_provider import Wire

CAP = 1000


def verdict(wire: Wire, body: Any) -> str:
    return judge(WIRES[wire].read(body), CAP)[0]


def chat(message: Any = "text", finish: Any = "stop", **more: Any) -> dict[str, Any]:
    told = message if isinstance(message, dict) else {"role": "assistant", "content": message}
    usage = {"prompt_tokens": 11, "completion_tokens": 22, "total_tokens": 33}
    choice = {"index": 0, "message": told, "finish_reason": finish}
    return {"id": "c1", "choices": [choice], "usage": usage, **more}


def responses(*content: Any, status: Any = "completed", **more: Any) -> dict[str, Any]:
    message = {"type": "message", "role": "assistant", "status": "completed"}
    parts = list(content) or [{"type": "output_text", "text": "text"}]
    usage = {"input_tokens": 11, "output_tokens": 22}
    output = [{"type": "reasoning", "summary": []}, {**message, "content": parts}]
    return {"id": "r1", "status": status, "output": output, "usage": usage, **more}


def anthropic(*content: Any, stop: Any = "end_turn", **more: Any) -> dict[str, Any]:
    blocks = list(content) or [{"type": "text", "text": "text"}]
    usage = {"input_tokens": 11, "output_tokens": 22}
    return {
        "id": "m1",
        "type": "message",
        "content": blocks,
        "stop_reason": stop,
        "usage": usage,
    } | (more)


def gemini(*parts: Any, finish: Any = "STOP", **more: Any) -> dict[str, Any]:
    content = {"role": "model", "parts": list(parts) or [{"text": "text"}]}
    usage = {"promptTokenCount": 11, "candidatesTokenCount": 22, "totalTokenCount": 33}
    candidate = {"content": content, "finishReason": finish}
    return {"candidates": [candidate], "usageMetadata": usage, "responseId": "g1", **more}


MAKERS = {"chat": chat, "responses": responses, "anthropic": anthropic, "gemini": gemini}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("more", [{}, {"error": {"message": "down"}}])
def test_the_model_that_answers_is_read_apart_from_the_one_asked(
    wire: Wire, more: dict[str, Any]
) -> None:
    key = "modelVersion" if wire == "gemini" else "model"
    reply = WIRES[wire].read(MAKERS[wire](**{key: "m-2026-11-30"}, **more))
    assert reply.answered_by == "m-2026-11-30"
    assert WIRES[wire].read(MAKERS[wire](**{key: 7})).answered_by == ""


@pytest.mark.parametrize("wire", WIRES)
def test_an_ordinary_reply_is_read_whole(wire: Wire) -> None:
    reply = WIRES[wire].read(MAKERS[wire]())
    assert (reply.text, reply.kind) == ("text", "stop")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (11, 22)
    assert reply.response_id == f"{ {'anthropic': 'm'}.get(wire, wire[0]) }1"


@pytest.mark.parametrize(
    ("wire", "body", "expected"),
    [
        ("chat", chat(finish="length"), "length"),
        ("chat", chat(finish="model_length"), "length"),
        ("chat", chat(finish="content_filter"), "refused"),
        ("chat", chat({"content": "no", "refusal": "I cannot."}), "refused"),
        ("chat", chat(finish=None), "unknown"),
        ("chat", chat(finish="tool_calls"), "unknown"),
        ("chat", chat(finish=7), "unknown"),
        ("chat", chat({"content": "hm", "tool_calls": [{"id": "t"}]}), "unknown"),
        ("chat", chat({"content": "hm", "function_call": {"name": "f"}}), "unknown"),
        ("chat", chat({"content": [{"type": "image", "url": "x"}]}), "unknown"),
        ("chat", chat({"content": None}), "empty"),
        ("chat", chat({}), "empty"),
        ("chat", chat({"content": [{"type": "text", "text": "a"}]}), "stop"),
        ("chat", chat(usage=None), "unknown"),
        ("chat", chat(usage={"prompt_tokens": 0, "completion_tokens": 0}), "unknown"),
        ("responses", responses(status="in_progress"), "unknown"),
        ("responses", responses(status=None), "unknown"),
        (
            "responses",
            responses(status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
            "length",
        ),
        (
            "responses",
            responses(status="incomplete", incomplete_details={"reason": "content_filter"}),
            "refused",
        ),
        ("responses", responses(status="incomplete"), "unknown"),
        (
            "responses",
            responses(incomplete_details={"reason": "max_output_tokens"}),
            "length",
        ),
        ("responses", responses({"type": "refusal", "refusal": "I cannot."}), "refused"),
        (
            "responses",
            responses({"type": "output_text", "text": "a"}, {"type": "refusal", "refusal": ""}),
            "refused",
        ),
        ("responses", responses({"type": "output_image", "url": "x"}), "unknown"),
        ("responses", responses(output=[]), "empty"),
        ("responses", responses(output=[{"type": "function_call", "name": "f"}]), "unknown"),
        (
            "responses",
            responses(output=[{"type": "message", "status": "incomplete", "content": []}]),
            "unknown",
        ),
        ("responses", responses(usage=None), "unknown"),
        ("anthropic", anthropic(stop="max_tokens"), "length"),
        ("anthropic", anthropic(stop="model_context_window_exceeded"), "length"),
        ("anthropic", anthropic(stop="refusal"), "refused"),
        ("anthropic", anthropic(stop="stop_sequence"), "unknown"),
        ("anthropic", anthropic(stop="pause_turn"), "unknown"),
        ("anthropic", anthropic(stop=None), "unknown"),
        ("anthropic", anthropic({"type": "tool_use", "name": "f"}), "unknown"),
        ("anthropic", anthropic({"type": "thinking", "thinking": "hm"}), "empty"),
        ("anthropic", anthropic(usage={"input_tokens": 3}), "unknown"),
        ("gemini", gemini(finish="MAX_TOKENS"), "length"),
        ("gemini", gemini(finish="SAFETY"), "refused"),
        ("gemini", gemini(finish="RECITATION"), "refused"),
        ("gemini", gemini(finish="PROHIBITED_CONTENT"), "refused"),
        ("gemini", gemini(finish="OTHER"), "unknown"),
        ("gemini", gemini(finish="MALFORMED_FUNCTION_CALL"), "unknown"),
        ("gemini", gemini(finish=None), "unknown"),
        ("gemini", gemini({"functionCall": {"name": "f"}}), "unknown"),
        ("gemini", gemini({"text": "a"}, {"executableCode": {}}), "unknown"),
        ("gemini", gemini({"thoughtSignature": "x"}), "empty"),
        ("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}, "refused"),
        ("gemini", gemini(promptFeedback={"blockReason": "OTHER"}), "refused"),
        ("gemini", gemini(candidates=[{"finishReason": "MAX_TOKENS"}]), "length"),
        ("gemini", gemini(candidates=[{"finishReason": "STOP"}]), "empty"),
        ("gemini", gemini(usageMetadata={}), "unknown"),
    ],
)
def test_every_way_of_not_being_a_plain_stop_is_told_apart(
    wire: Wire, body: Any, expected: str
) -> None:
    assert verdict(wire, body) == expected


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        ("chat", {}),
        ("chat", []),
        ("chat", {"choices": []}),
        ("chat", {"choices": [{"finish_reason": "stop"}]}),
        ("chat", {"choices": "many"}),
        ("chat", chat({"content": 7})),
        ("chat", chat({"content": [{"type": "text"}]})),
        ("chat", chat({"content": ["text"]})),
        ("responses", {"status": "completed"}),
        ("responses", responses({"type": "output_text", "text": 7})),
        ("responses", responses("text")),
        ("anthropic", {"type": "message"}),
        ("anthropic", anthropic({"type": "text"})),
        ("anthropic", anthropic("text")),
        ("gemini", {"candidates": []}),
        ("gemini", gemini(candidates=[{"content": {"parts": "text"}}])),
        ("gemini", gemini({"text": ["a"]})),
        ("gemini", None),
    ],
)
def test_a_body_of_another_shape_is_no_reply(wire: Wire, body: Any) -> None:
    with pytest.raises(ShapeError):
        WIRES[wire].read(body)


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        ("chat", {"error": {"message": "down", "code": 502}}),
        ("chat", {"error": "down"}),
        ("chat", chat(error={"message": "down"})),
        ("chat", {"choices": [{"error": {"message": "down"}, "finish_reason": "error"}]}),
        (
            "responses",
            responses(status="failed", error={"code": "server_error", "message": "down"}),
        ),
        ("anthropic", {"type": "error", "error": {"type": "api_error", "message": "down"}}),
        ("gemini", {"error": {"code": 500, "message": "down", "status": "INTERNAL"}}),
        ("gemini", [{"error": {"code": 500, "message": "down"}}]),
    ],
)
def test_an_error_inside_a_reply_is_seen(wire: Wire, body: Any) -> None:
    assert WIRES[wire].read(body).failure == "down"


def test_an_error_that_says_nothing_is_still_an_error() -> None:
    assert WIRES["responses"].read(responses(status="failed")).failure
    assert WIRES["anthropic"].read({"type": "error"}).failure
    assert WIRES["chat"].read(chat(error={"message": " "})).failure
    assert WIRES["chat"].read(chat(error=None)).failure == ""


def test_output_holds_the_reasoning_in_every_format() -> None:
    outside = {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 35}
    inside = {**outside, "total_tokens": 30}
    thought = {"completion_tokens_details": {"reasoning_tokens": 5}}
    read = {
        "beside": WIRES["chat"].read(chat(usage=outside | thought)),
        "within": WIRES["chat"].read(chat(usage=inside | thought)),
        "responses": WIRES["responses"].read(
            responses(usage={"output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 5}})
        ),
        "gemini": WIRES["gemini"].read(
            gemini(
                usageMetadata={
                    "promptTokenCount": 10,
                    "candidatesTokenCount": 15,
                    "thoughtsTokenCount": 5,
                }
            )
        ),
        "only thoughts": WIRES["gemini"].read(gemini(usageMetadata={"thoughtsTokenCount": 5})),
    }
    assert {k: (v.usage.output_tokens, v.usage.reasoning_tokens) for k, v in read.items()} == {
        "beside": (25, 5),
        "within": (20, 5),
        "responses": (20, 5),
        "gemini": (20, 5),
        "only thoughts": (5, 5),
    }


def test_input_holds_what_a_cache_gave_in_every_format() -> None:
    read = [
        WIRES["chat"].read(
            chat(
                usage={
                    "prompt_tokens": 100,
                    "completion_tokens": 1,
                    "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
                }
            )
        ),
        WIRES["anthropic"].read(
            anthropic(
                usage={
                    "input_tokens": 10,
                    "cache_read_input_tokens": 60,
                    "cache_creation_input_tokens": 30,
                    "output_tokens": 1,
                }
            )
        ),
    ]
    assert [reply.usage for reply in read] == [Usage(100, 1, None, 60, 30)] * 2


def test_a_count_of_zero_that_gemini_leaves_out_is_known_from_the_total() -> None:
    usage = {"promptTokenCount": 10, "totalTokenCount": 10}
    silent = WIRES["gemini"].read(
        gemini(candidates=[{"finishReason": "STOP"}], usageMetadata=usage)
    )
    assert silent.usage.output_tokens == 0


def test_counts_that_cannot_be_are_no_counts() -> None:
    for odd in (-1, True, "22", 1.5, None, [22]):
        usage = {"prompt_tokens": odd, "completion_tokens": odd}
        assert WIRES["chat"].read(chat(usage=usage)).usage == Usage()


def test_text_comes_from_all_text_parts_and_from_no_thought() -> None:
    thought, first, second = {"text": "hm", "thought": True}, {"text": "a"}, {"text": "b"}
    assert WIRES["gemini"].read(gemini(thought, first, second)).text == "ab"
    blocks = [{"type": "thinking", "thinking": "hm"}]
    blocks += [{"type": "text", "text": letter} for letter in "ab"]
    assert WIRES["anthropic"].read(anthropic(*blocks)).text == "ab"
    parts = [{"type": "output_text", "text": letter} for letter in "ab"]
    assert WIRES["responses"].read(responses(*parts)).text == "ab"


def test_messages_of_error_bodies_of_all_kinds_are_found() -> None:
    assert failure_of({"error": {"message": "a\n b", "type": "t"}}) == ("a b", "t")
    assert failure_of({"message": "a"}) == ("a", "")
    assert failure_of({"detail": "a"}) == ("a", "")
    assert failure_of({"error": ["a"]}) == ("['a']", "")
    assert failure_of([]) == ("", "")
    assert len(failure_of({"message": "a" * 9999})[0]) == 500


def test_the_service_tier_that_was_billed_is_read_where_it_is_told() -> None:
    assert WIRES["chat"].read(chat(service_tier="priority")).tier == "priority"
    assert WIRES["responses"].read(responses(service_tier="flex")).tier == "flex"
    usage = {"input_tokens": 1, "output_tokens": 2, "service_tier": "standard"}
    assert WIRES["anthropic"].read(anthropic(usage=usage)).tier == "standard"
    assert [WIRES[wire].read(MAKERS[wire]()).tier for wire in WIRES] == [""] * 4
