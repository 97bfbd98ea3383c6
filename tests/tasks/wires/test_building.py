"""How each wire format puts a question."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tasks.model_records import Message, ModelRequest, Provider
from tasks.wires import WIRES
from tasks.wires.common import Outgoing
from tests.fake_provider import Wire, asking

KEY = "sk-a-key-that-nobody-may-see"
TURNS = (
    Message("system", "Write tests."),
    Message("user", "def f(): ..."),
    Message("assistant", "def test_f(): ..."),
    Message("user", "Mend them, ünïcode \udc80 too."),
)


def built(wire: Wire, model: str = "m/1", key: str | None = KEY, **more: Any) -> Outgoing:
    provider = Provider("p", wire, more.pop("base_url", "http://host/v1"), key)
    sent = ModelRequest("p", model, TURNS, 321, **more)
    return WIRES[wire].build(provider, sent)


def body(out: Outgoing) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(out.body)
    return parsed


@pytest.mark.parametrize("wire", WIRES)
class TestEveryWire:
    def test_a_strict_server_finds_model_prompt_cap_and_key(self, wire: Wire) -> None:
        out = built(wire)
        path = "/v1" + out.url.removeprefix("http://host/v1").replace("%2F", "/")
        asked = asking.read(path, out.headers, out.body)
        turns = json.loads(asked.prompt)
        assert (asked.wire, asked.model, asked.cap, asked.key) == (wire, "m/1", 321, KEY)
        assert [turn["text"] for turn in turns] == [message.text for message in TURNS]
        assert [turn["role"] for turn in turns] == [message.role for message in TURNS]

    def test_what_is_not_set_is_not_sent(self, wire: Wire) -> None:
        for name in ("temperature", "top_p", "topP", "seed"):
            assert name not in built(wire).parameters

    def test_parameters_are_what_is_sent_less_the_messages(self, wire: Wire) -> None:
        out = built(wire, temperature=0.5, top_p=0.9, seed=7)
        sent = body(out)
        messages = {"messages", "input", "system", "contents", "systemInstruction"}
        assert json.loads(out.parameters) == {k: v for k, v in sent.items() if k not in messages}
        assert "Write tests" not in out.parameters
        assert "def f" not in out.parameters

    def test_temperature_and_top_p_are_sent_when_set(self, wire: Wire) -> None:
        sent = body(built(wire, temperature=0.0, top_p=0.9))
        sent = sent["generationConfig"] if wire == "gemini" else sent
        assert sent["temperature"] == 0.0
        assert sent["topP" if wire == "gemini" else "top_p"] == 0.9

    def test_a_seed_goes_where_the_format_has_one_and_nowhere_else(self, wire: Wire) -> None:
        sent = body(built(wire, seed=7))
        if wire == "chat":
            assert sent["seed"] == 7
        elif wire == "gemini":
            assert sent["generationConfig"]["seed"] == 7
        else:
            assert "seed" not in json.dumps(sent)

    def test_a_seed_fits_into_31_bits(self, wire: Wire) -> None:
        sent = body(built(wire, seed=2**63 + 5))
        seeds = {"chat": sent.get("seed"), "gemini": sent.get("generationConfig", {}).get("seed")}
        assert seeds.get(wire, 5) == 5

    def test_the_key_is_in_a_header_and_nowhere_else(self, wire: Wire) -> None:
        out = built(wire)
        assert any(KEY in value for value in out.headers.values())
        assert KEY not in f"{out!r}{out.url}{out.parameters}{out.body!r}"

    def test_without_a_key_no_header_for_one_is_sent(self, wire: Wire) -> None:
        names = {"authorization", "x-api-key", "x-goog-api-key"}
        assert not names & set(built(wire, key=None).headers)

    def test_a_query_of_the_base_url_stays_a_query(self, wire: Wire) -> None:
        url = built(wire, base_url="http://host/v1/?api-version=2").url
        assert url.startswith("http://host/v1/")
        assert url.endswith("?api-version=2")
        assert "//" not in url.removeprefix("http://")


def test_an_older_chat_server_gets_the_cap_in_the_field_it_knows() -> None:
    provider = Provider("p", "chat", "http://host/v1", cap_field="max_tokens")
    sent = body(WIRES["chat"].build(provider, ModelRequest("p", "m", TURNS, 321)))
    assert (sent["max_tokens"], "max_completion_tokens" in sent) == (321, False)


def test_a_model_name_cannot_leave_its_place_in_geminis_address() -> None:
    url = built("gemini", model="../files?x=1#y").url
    assert url == "http://host/v1/models/..%2Ffiles%3Fx%3D1%23y:generateContent"
