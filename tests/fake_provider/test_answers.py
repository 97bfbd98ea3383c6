"""What the fake provider says in each wire format, and how it breaks off."""

from __future__ import annotations

import asyncio
import email.utils
import http.client
import json
import time
from typing import Any

import pytest

from tests.fake_provider import WIRES, FakeProvider, Wire
from tests.fake_provider.client import Got, ask, key_headers, payload, post
from tests.fake_provider.saying import REFUSALS

TEXT = "abcd" * 50
FINISH = {
    "chat": ("stop", "length"),
    "responses": ("completed", "incomplete"),
    "anthropic": ("end_turn", "max_tokens"),
    "gemini": ("STOP", "MAX_TOKENS"),
}

STATUSES = [("error_500", 500), ("error_503", 503), ("error_529", 529), ("rate_limited", 429)]
STATUSES += [("wrong_key", 401), ("unknown_model", 404)]


def got(script: dict[str, Any], wire: Wire, **asked: Any) -> Got:
    async def run() -> Got:
        async with FakeProvider({"default": {"reply": {"text": TEXT}, **script}}) as server:
            return await ask(server.base_url, wire, **asked)

    return asyncio.run(run())


def finish(wire: Wire, said: Any) -> Any:
    return {
        "chat": lambda: said["choices"][0]["finish_reason"],
        "responses": lambda: said["status"],
        "anthropic": lambda: said["stop_reason"],
        "gemini": lambda: said["candidates"][0]["finishReason"],
    }[wire]()


def text(wire: Wire, said: Any) -> Any:
    return {
        "chat": lambda: said["choices"][0]["message"]["content"],
        "responses": lambda: said["output"][-1]["content"][0]["text"],
        "anthropic": lambda: said["content"][-1]["text"],
        "gemini": lambda: said["candidates"][0]["content"]["parts"][-1]["text"],
    }[wire]()


def output_tokens(wire: Wire, said: Any) -> Any:
    if wire == "gemini":
        usage = said["usageMetadata"]
        return usage.get("candidatesTokenCount", 0) + usage.get("thoughtsTokenCount", 0)
    return said["usage"]["completion_tokens" if wire == "chat" else "output_tokens"]


@pytest.mark.parametrize("wire", WIRES)
class TestEveryWire:
    def test_a_reply_that_fits_comes_whole(self, wire: Wire) -> None:
        said = got({}, wire, cap=51).json
        assert (text(wire, said), output_tokens(wire, said)) == (TEXT, 50)
        assert finish(wire, said) == FINISH[wire][0]

    def test_a_reply_that_does_not_fit_is_cut_at_the_cap(self, wire: Wire) -> None:
        said = got({}, wire, cap=20).json
        assert (text(wire, said), output_tokens(wire, said)) == (TEXT[:80], 20)
        assert finish(wire, said) == FINISH[wire][1]

    def test_a_reply_cut_below_the_cap_says_stop(self, wire: Wire) -> None:
        said = got({"do": "cut_below"}, wire).json
        assert (text(wire, said), output_tokens(wire, said)) == (TEXT[:100], 25)
        assert finish(wire, said) == FINISH[wire][0]

    def test_a_stop_can_come_with_output_at_the_cap(self, wire: Wire) -> None:
        said = got({"do": "stop_at_cap"}, wire, cap=60).json
        assert (finish(wire, said), output_tokens(wire, said)) == (FINISH[wire][0], 60)

    def test_reasoning_leaves_less_room_for_text(self, wire: Wire) -> None:
        said = got({"reasoning_tokens": 30}, wire, cap=50).json
        assert (text(wire, said), output_tokens(wire, said)) == (TEXT[:80], 50)

    def test_reasoning_can_eat_the_cap(self, wire: Wire) -> None:
        said = got({"do": "reasoning_only"}, wire, cap=50).json
        assert (finish(wire, said), output_tokens(wire, said)) == (FINISH[wire][1], 50)
        assert TEXT[:4] not in json.dumps(said)

    @pytest.mark.parametrize(("do", "status"), STATUSES)
    def test_errors_have_their_status(self, wire: Wire, do: str, status: int) -> None:
        answer = got({"do": do}, wire)
        assert (answer.status, "error" in answer.json) == (status, True)
        assert "retry-after" not in answer.headers

    def test_an_error_can_hide_in_a_200(self, wire: Wire) -> None:
        answer = got({"do": "error_in_200"}, wire)
        assert (answer.status, bool(answer.json["error"])) == (200, True)

    def test_usage_can_be_missing(self, wire: Wire) -> None:
        said = got({"do": "no_usage"}, wire).json
        assert (text(wire, said), "usage" in said, "usageMetadata" in said) == (TEXT, False, False)

    def test_the_finish_reason_can_be_missing_or_null(self, wire: Wire) -> None:
        with pytest.raises(KeyError):
            finish(wire, got({"do": "no_finish"}, wire).json)
        assert finish(wire, got({"do": "no_finish", "way": "null"}, wire).json) is None

    def test_an_unknown_reason_is_anything_that_the_script_says(self, wire: Wire) -> None:
        said = got({"do": "odd_finish", "way": "weird"}, wire).json
        found = said["incomplete_details"]["reason"] if wire == "responses" else finish(wire, said)
        assert found == "weird"

    def test_every_way_to_refuse_differs(self, wire: Wire) -> None:
        answers = [got({"do": "refusal", "way": way}, wire).json for way in REFUSALS[wire]]
        assert len({json.dumps(answer, sort_keys=True) for answer in answers}) == len(answers)

    def test_bad_json_is_no_json(self, wire: Wire) -> None:
        for way in ("cut", "html", "bytes"):
            with pytest.raises(ValueError):
                json.loads(got({"do": "bad_json", "way": way}, wire).body)

    def test_a_short_body_ends_before_its_length(self, wire: Wire) -> None:
        for way in ("", "complete", "chunked"):
            with pytest.raises(http.client.IncompleteRead):
                got({"do": "short_body", "way": way}, wire)

    def test_a_reset_comes_in_mid_body(self, wire: Wire) -> None:
        with pytest.raises(ConnectionResetError):
            got({"do": "reset"}, wire)

    def test_a_connection_can_end_before_any_byte(self, wire: Wire) -> None:
        with pytest.raises(http.client.RemoteDisconnected):
            got({"do": "disconnect"}, wire)

    def test_what_comes_can_be_no_http(self, wire: Wire) -> None:
        with pytest.raises(http.client.BadStatusLine):
            got({"do": "garbage"}, wire)

    def test_a_hang_never_answers(self, wire: Wire) -> None:
        for way in ("", "body"):
            with pytest.raises(TimeoutError):
                got({"do": "hang", "way": way}, wire, timeout=0.1)

    def test_a_request_without_a_cap_is_refused(self, wire: Wire) -> None:
        async def run() -> int:
            async with FakeProvider() as server:
                path, sent = payload(wire, "m", "p", 5)
                for name in ("max_completion_tokens", "max_output_tokens", "max_tokens"):
                    sent.pop(name, None)
                sent.pop("generationConfig", None)
                body, headers = json.dumps(sent).encode(), key_headers(wire)
                answer = await asyncio.to_thread(post, server.base_url, path, body, headers)
                assert "cap" in json.dumps(answer.json)
                assert server.stats()["requests"] == 0
                return answer.status

        assert asyncio.run(run()) == 400

    def test_a_key_in_the_wrong_header_is_no_key(self, wire: Wire) -> None:
        async def run() -> list[int]:
            async with FakeProvider({"key": "sk-right"}) as server:
                right = await ask(server.base_url, wire, key="sk-right")
                wrong = await ask(server.base_url, wire, key="sk-wrong")
                return [right.status, wrong.status]

        assert asyncio.run(run()) == [200, 401]


def test_retry_after_is_seconds_or_a_date() -> None:
    seconds = got({"do": "rate_limited", "retry_after": 3}, "chat").headers["retry-after"]
    date = got({"do": "rate_limited", "retry_after_date": 30}, "chat").headers["retry-after"]
    ahead = email.utils.parsedate_to_datetime(date).timestamp() - time.time()
    assert (seconds, 27 < ahead < 31) == ("3", True)


def test_a_drip_goes_on_beyond_any_read_timeout() -> None:
    """Each byte comes in time, and the body never ends."""

    async def run() -> int:
        script = {"default": {"do": "drip", "every_s": 0.01}}
        async with FakeProvider(script) as server:
            path, sent = payload("chat", "m", "p", 5)
            body = json.dumps(sent).encode()
            reader, writer = await asyncio.open_connection("127.0.0.1", port(server))
            head = f"POST {path} HTTP/1.1\r\ncontent-length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            await reader.readuntil(b"\r\n\r\n")
            dripped = [await asyncio.wait_for(reader.read(1), 1) for _ in range(20)]
            writer.close()
            return len(b"".join(dripped))

    assert asyncio.run(run()) == 20


def test_a_connection_is_kept_for_the_next_request() -> None:
    async def run() -> list[int]:
        async with FakeProvider() as server:
            path, sent = payload("chat", "m", "p", 5)
            connection = http.client.HTTPConnection("127.0.0.1", port(server), timeout=5)

            def twice() -> list[int]:
                statuses = []
                for _ in range(2):
                    connection.request("POST", path, json.dumps(sent))
                    answer = connection.getresponse()
                    statuses.append(answer.status)
                    answer.read()
                assert connection.sock is not None
                connection.close()
                return statuses

            return await asyncio.to_thread(twice)

    assert asyncio.run(run()) == [200, 200]


def port(server: FakeProvider) -> int:
    return int(server.base_url.rpartition(":")[2])
