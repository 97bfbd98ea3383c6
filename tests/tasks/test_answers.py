"""What an answer to a model call amounts to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tasks.answers import Finding, examine, without_key
from tasks.http import Answer
from tasks.model_records import Message, ModelRequest, Provider
from tests.fake_provider import WIRES, Wire

KEY = "sk/a-key+that-nobody-may-see"
REQUEST = ModelRequest("p", "the-model", (Message("user", "hi"),), 1000)


def found(
    status: int | None, body: Any = None, wire: Wire = "chat", key: str | None = KEY, **more: Any
) -> Finding:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    provider = Provider("p", wire, "http://host/v1", key)
    return examine(provider, REQUEST, Answer(status, more.pop("headers", {}), raw, **more))


def told(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 520, 529])
def test_these_statuses_are_tried_again(status: int) -> None:
    finding = found(status, told("later"))
    assert (finding.verdict, finding.again) == ("error", True)
    assert "later" in finding.error


@pytest.mark.parametrize("status", [301, 302, 307, 308, 400, 401, 403, 404, 405, 413, 422, 451])
def test_these_statuses_are_final(status: int) -> None:
    finding = found(status, told("never"))
    assert (finding.verdict, finding.again, finding.unbilled) == ("error", False, True)
    assert "never" in finding.error


def test_a_wrong_key_an_absent_key_and_an_unknown_model_are_named_so() -> None:
    assert found(401, told("bad")).error == "p refuses the key (401): bad"
    assert found(403, told("bad")).error == "p refuses the key (403): bad"
    assert found(401, told("bad"), key=None).error == "p asks for a key and none is set (401): bad"
    assert "knows no model 'the-model'" in found(404, told("what?")).error


def test_a_redirect_says_that_it_is_not_followed() -> None:
    assert "mend its base_url" in found(308, b"").error


def test_an_error_page_is_quoted_in_one_line() -> None:
    finding = found(502, b"<html>\n<h1>Bad\xff gateway</h1>" + b"x" * 5000)
    assert "<html> <h1>Bad" in finding.error
    assert "\n" not in finding.error
    assert len(finding.error) < 600


def test_a_spent_quota_is_final_though_it_is_a_429() -> None:
    assert not found(429, told("pay", code="insufficient_quota")).again
    assert found(429, told("slow down", code="rate_limit_exceeded")).again


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("code", ["content_filter", "content_policy_violation", "invalid_prompt"])
def test_a_prompt_that_is_turned_away_for_policy_is_a_refusal(status: int, code: str) -> None:
    finding = found(status, told("against the policy", code=code))
    assert (finding.verdict, finding.again, finding.reply.finish) == ("refused", False, code)
    assert finding.error == "against the policy"


def test_what_never_reached_a_server_is_free_and_what_broke_off_may_not_be() -> None:
    assert found(None, b"", fault="no connection", refused=True).unbilled
    broken = [
        found(None, b"", fault="broken off"),
        found(200, b"{", fault="broken off"),
        found(200, b"{"),
        found(500, told("down")),
        found(502, b""),
        found(200, told("down")),
    ]
    assert [(each.again, each.unbilled) for each in broken] == [(True, False)] * len(broken)


def test_a_complete_looking_body_that_broke_off_is_not_read() -> None:
    whole = {
        "choices": [{"message": {"content": "text"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 5},
    }
    assert found(200, whole).verdict == "stop"
    assert found(200, whole, fault="broken off").verdict == "error"


def test_the_status_of_a_cut_error_still_counts() -> None:
    assert not found(401, b'{"err', fault="broken off").again


@pytest.mark.parametrize(
    ("headers", "body", "wish"),
    [
        ({"retry-after": "7"}, {}, 7.0),
        ({"retry-after-ms": "1500", "retry-after": "2"}, {}, 1.5),
        ({}, {"error": {"details": [{"@type": "x"}, {"retryDelay": "31.5s"}]}}, 31.5),
        ({"retry-after": "7"}, {"error": {"details": [{"retryDelay": "31s"}]}}, 7.0),
        ({}, {"error": {"details": [{"retryDelay": "soon"}]}}, None),
        ({}, {"error": {"details": [{"retryDelay": "infs"}]}}, None),
        ({}, {"error": {"details": "none"}}, None),
        ({}, [], None),
    ],
)
def test_the_wish_to_wait_is_read_from_headers_or_body(
    headers: dict[str, str], body: Any, wish: float | None
) -> None:
    assert found(429, body, "gemini", headers=headers).wish_s == wish


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_a_key_that_the_server_echoes_is_blotted_out(wire: Wire, status: int) -> None:
    raw = json.dumps(told(f"Incorrect API key provided: {KEY}.")).replace("sk/", "sk\\/").encode()
    answer = without_key(Answer(status, {}, raw + KEY.encode(), f"fault with {KEY}"), KEY)
    finding = examine(Provider("p", wire, "http://host/v1", KEY), REQUEST, answer)
    assert KEY not in f"{answer!r}{finding!r}"
    assert b"nobody-may-see" not in answer.body


def test_a_word_too_short_to_be_a_secret_is_left_in_a_reply() -> None:
    answer = Answer(200, {}, b"assert EMPTY == 0", "")
    assert without_key(answer, "EMPTY") == answer
    assert without_key(answer, None) == answer
