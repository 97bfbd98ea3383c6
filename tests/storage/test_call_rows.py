from __future__ import annotations

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from storage.call_rows import CallPlace, RoundEnd, call_rows, raw_bytes, round_rows, unreceipted
from storage.tables import schema
from tasks.model_records import Intent, Message, ModelRequest, Receipt, Usage
from tasks.records import sha256
from tests.storage.test_building import read
from tests.storage.test_text import ANY_TEXT

REQUEST = ModelRequest("local", "tiny-1", (Message("user", "write tests"),), 800, temperature=0.5)
PLACE = CallPlace("cell-1", "subject-1", "code", "code_shown", 2, draw=1)


def receipt(**changes: object) -> Receipt:
    fields = {"call_id": "cell-1/1/0", "attempt": 1, "request": REQUEST, "parameters": "{}"}
    return Receipt(**(fields | {"verdict": "stop"} | changes))  # type: ignore[arg-type]


def test_rows_have_the_schema_of_their_table_with_rows_and_without() -> None:
    ended = RoundEnd("cell-1", 1, "repair", "done", dropped_tests=("test_it.py::test_0",))
    for rows in ([], [(PLACE, receipt())]):
        assert call_rows("e", rows).schema == schema("calls")
    for rounds in ([], [ended]):
        assert round_rows("e", rounds).schema == schema("rounds")


def test_an_attempt_has_its_place_its_request_and_its_receipt() -> None:
    given_usage = Usage(10, 20, None, 4)
    made = receipt(
        usage=given_usage, cost_usd=0.25, http_status=200, started_at=86400.5, ended_at=86402.0
    )
    (row,) = call_rows("e", [(PLACE, made)]).to_pylist()
    assert (row["cell_id"], row["condition"], row["replicate"], row["draw"]) == (
        "cell-1",
        "code_shown",
        2,
        1,
    )
    assert (row["provider"], row["model"], row["prompt"]) == ("local", "tiny-1", REQUEST.prompt)
    assert row["prompt_sha256"] == REQUEST.prompt_sha256
    assert (row["output_tokens"], row["reasoning_tokens"], row["cost_usd"]) == (20, None, 0.25)
    assert row["started_at"] == datetime(1970, 1, 2, 0, 0, 0, 500_000)
    assert row["ended_at"] == datetime(1970, 1, 2, 0, 0, 2)


def test_what_is_not_known_is_null_and_not_zero() -> None:
    intent = Intent("cell-1/1/0", 3, REQUEST, '{"max_tokens":800}', 1.8e9)
    (row,) = call_rows("e", [(PLACE, unreceipted(intent))]).to_pylist()
    assert (row["verdict"], row["attempt"]) == ("unreceipted", 3)
    assert row["parameters"] == '{"max_tokens":800}'
    unknown = ("http_status", "input_tokens", "output_tokens", "cost_usd", "ended_at")
    assert [row[name] for name in unknown] == [None] * 5
    assert row["started_at"].year == 2027


@given(st.binary(max_size=40), ANY_TEXT)
def test_the_body_comes_back_byte_for_byte_and_the_reply_as_it_was(raw: bytes, reply: str) -> None:
    other = receipt(raw=b"\xff\\")
    table = call_rows("e", [(PLACE, other), (PLACE, receipt(raw=raw, reply=reply))])
    assert raw_bytes(read(table, 1, "raw")) == raw
    assert raw_bytes(read(table, 0, "raw")) == b"\xff\\"
    assert read(table, 1, "reply") == reply
    assert table["raw_sha256"].to_pylist()[1] == (sha256(raw) if raw else "")


def test_a_round_says_what_it_measured_and_nothing_else() -> None:
    ended = RoundEnd(
        "cell-1", 1, "critic", "done", "suite-2", "asks for a change", 5, 3, 2, ("t.py::test_a",)
    )
    bare = RoundEnd("cell-1", 2, "repair", "no_code")
    full, empty = round_rows("e", [ended, bare]).to_pylist()
    assert (full["survivors_before"], full["survivors_after"], full["kills"]) == (5, 3, 2)
    assert (full["dropped_tests"], full["note"]) == (["t.py::test_a"], "asks for a change")
    assert (empty["survivors_before"], empty["kills"], empty["dropped_tests"]) == (None, None, [])
