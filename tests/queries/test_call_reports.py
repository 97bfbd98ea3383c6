"""Reports on model calls and what was made of them: calls, spend, flags, suite_validity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from storage.call_rows import CallPlace, call_rows, unreceipted
from tasks.model_records import Intent, Message, ModelRequest
from tests.queries.macros import macro_connection
from tests.storage.model_stores import call
from tests.storage.stores import Lab, mutant, subject

ALPHA, BETA = subject("alpha"), subject("beta")


def pick(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def subjects(lab: Lab) -> None:
    lab.subject(ALPHA, [mutant(ALPHA, "bug", planted=True), mutant(ALPHA, "a2")])
    lab.subject(BETA, [mutant(BETA, "bug", planted=True)])


def test_a_call_ends_as_its_last_attempt_does(lab: Lab) -> None:
    subjects(lab)
    call(lab, ALPHA, "x", "error", "error", "stop", http_status=529)
    call(lab, ALPHA, "x", "length", replicate=1, output_tokens=800)
    call(lab, ALPHA, "x", "refused", replicate=2)
    call(lab, ALPHA, "x", "empty", replicate=3)
    call(lab, ALPHA, "x", "unknown", replicate=4)
    call(lab, BETA, "x", "error", "error")
    call(lab, BETA, "x", "unreceipted", replicate=1)
    call(lab, BETA, "y", "stop", model="other")
    x, y = lab.ask("calls")
    assert list(x)[:4] == ["arm", "usable", "calls", "truncated"]
    names = ("truncated", "refused", "empty", "unknown", "failed", "unreceipted")
    assert pick([x], "calls", "attempts", "retries", *names) == [(7, 10, 3, 1, 1, 1, 1, 1, 1)]
    assert (x["usable"], x["http_errors"]) == (pytest.approx(1 / 7), 3)
    assert (y["model"], y["usable"], y["retries"]) == ("other", 1.0, 0)
    (only,) = lab.ask("calls", subject="beta", arm="x")
    assert (only["calls"], only["failed"]) == (2, 1)


def test_latency_and_tokens_are_of_what_was_answered(lab: Lab) -> None:
    subjects(lab)
    seconds, tokens = [1.0, 2.0, 4.0, 30.0], [100, 200, 400, 800]
    for place, (s, t) in enumerate(zip(seconds, tokens, strict=True)):
        call(lab, ALPHA, "x", "stop", replicate=place, seconds=s, output_tokens=t)
    call(lab, ALPHA, "x", "error", replicate=4, seconds=900.0, output_tokens=None)
    call(lab, ALPHA, "x", "unknown", replicate=5, seconds=2.0, output_tokens=None)
    (row,) = lab.ask("calls")
    assert row["answered_by"] == ["(not said) 5"]
    answered = [*seconds, 2.0]
    assert row["p50_s"] == pytest.approx(np.quantile(answered, 0.5))
    assert row["p95_s"] == pytest.approx(np.quantile(answered, 0.95))
    assert (row["p50_output"], row["max_output"], row["output_tokens"]) == (300.0, 800, 1500)
    assert row["without_usage"] == 1
    assert row["finishes"] == ["stop 4", "unknown 1"]


def test_other_models_than_the_one_asked_are_told(lab: Lab) -> None:
    subjects(lab)
    for place, name in enumerate(("tiny-0601", "tiny-0601", "huge", "")):
        call(lab, ALPHA, "x", "error", "stop", replicate=place, answered_by=name)
    (row,) = lab.ask("calls")
    assert row["answered_by"] == ["tiny-0601 2", "(not said) 1", "huge 1"]
    told = next(each for each in lab.ask("self_check") if "several answered" in each["check"])
    assert (told["status"], told["found"]) == ("note", 1)
    assert told["example"] == "local/tiny: huge, tiny-0601"


def test_tokens_that_no_one_counted_are_not_zero(lab: Lab) -> None:
    subjects(lab)
    call(lab, ALPHA, "x", "unknown", output_tokens=None)
    (row,) = lab.ask("calls")
    assert (row["p50_output"], row["max_output"], row["output_tokens"]) == (None, None, None)


def test_an_intent_is_unreceipted_until_there_is_a_receipt(lab: Lab) -> None:
    subjects(lab)
    request = ModelRequest("local", "tiny", (Message("user", "tests, please"),), 800)
    for replicate in (0, 1):
        place = CallPlace(f"cell-alpha-x-{replicate}", "subject-alpha", "x", "spec_only", replicate)
        intent = unreceipted(Intent(f"cell-alpha-x-{replicate}/0", 1, request, "{}", 1.8e9))
        lab.commit(calls=call_rows(lab.experiment_id, [(place, intent)]))
    call(lab, ALPHA, "x", "stop")
    rows = lab.sql("SELECT call_id, verdict, cost_usd FROM call_attempts ORDER BY call_id")
    assert [tuple(row.values()) for row in rows] == [
        ("cell-alpha-x-0/0", "stop", 0.5),
        ("cell-alpha-x-1/0", "unreceipted", None),
    ]


def test_a_cost_that_is_not_known_is_never_a_zero(lab: Lab) -> None:
    subjects(lab)
    matrix = {"bug": "F", "a2": "F"}
    lab.cell(ALPHA, "known", "k", matrix)
    lab.cell(ALPHA, "lost", "k", matrix)
    call(lab, ALPHA, "known", "error", "stop")
    call(lab, ALPHA, "known", "length", replicate=1, cost_usd=2.0)
    call(lab, ALPHA, "lost", "stop")
    call(lab, ALPHA, "lost", "unreceipted", cost_usd=None, replicate=1)
    call(lab, ALPHA, "none", "unknown", cost_usd=None)
    rows = lab.ask("spend")
    names = ("arm", "known_usd", "unknown_costs", "usd_per_kill", "usd_per_valid_suite", "kills")
    assert pick(rows, *names) == [
        ("known", 3.0, 0, 1.5, 3.0, 2),
        ("lost", 0.5, 1, None, None, 2),
        ("none", None, 1, None, None, None),
    ]
    assert pick(rows, "at_least_per_kill", "at_least_per_valid_suite", "attempts", "calls") == [
        (1.5, 3.0, 3, 2),
        (0.25, 0.5, 2, 2),
        (None, None, 1, 1),
    ]


def test_kills_of_a_suite_that_is_not_complete_cost_nothing_that_is_known(lab: Lab) -> None:
    subjects(lab)
    lab.cell(ALPHA, "short", "k", {"bug": "F"})
    call(lab, ALPHA, "short", "stop")
    (row,) = lab.ask("spend")
    assert pick([row], "kills", "usd_per_kill", "usd_per_valid_suite") == [(None, None, 0.5)]


def test_an_arm_that_calls_no_model_has_no_cost(lab: Lab) -> None:
    subjects(lab)
    lab.cell(ALPHA, "files", "k", {"bug": "F", "a2": "F"})
    assert lab.ask("spend") == lab.ask("calls") == []
    (row,) = lab.ask("leaderboard")
    assert (row["known_usd"], row["usd_per_kill"], row["warning"]) == (None, None, "")


def test_flags_are_counted_for_each_arm(lab: Lab) -> None:
    subjects(lab)
    lab.cell(ALPHA, "x", "k", flags=("import_added", "cut"))
    lab.cell(BETA, "x", "k", flags=("import_added",))
    lab.cell(ALPHA, "y", "k", flags=("import_added",))
    lab.cell(BETA, "y", "k")
    lab.cell(BETA, "z", "k")
    rows = lab.ask("flags")
    assert pick(rows, "arm", "flag", "flagged", "suites", "share", "others") == [
        ("x", "import_added", 2, 2, 1.0, pytest.approx(1 / 3)),
        ("x", "cut", 1, 2, 0.5, 0.0),
        ("y", "import_added", 1, 2, 0.5, pytest.approx(2 / 3)),
    ]
    assert pick(lab.ask("flags", subject="beta", arm="x"), "flag", "share") == [
        ("import_added", 1.0)
    ]


def test_validity_counts_cells_that_gave_no_suite(lab: Lab) -> None:
    subjects(lab)
    lab.cell(ALPHA, "x", "kw", {"bug": "F.", "a2": ".."})
    lab.no_suite(BETA, "x", "length")
    rows = lab.ask("suite_validity")
    assert pick(rows, "status", "suites", "share", "green", "tests", "example") == [
        ("valid", 1, 0.5, 0, 2, ""),
        ("no_suite", 1, 0.5, 0, 0, "length"),
    ]


def test_shares_are_told_apart_when_they_differ_by_the_gap() -> None:
    connection = macro_connection()
    connection.execute(
        "CREATE TABLE shares AS SELECT * FROM (VALUES "
        "('e', 'a', 'truncated', 4, 10), ('e', 'b', 'truncated', 0, 10), "
        "('e', 'c', 'truncated', 0, 10), ('e', 'a', 'empty', 1, 20), ('e', 'b', 'empty', 1, 20), "
        "('e', 'c', 'missing', 0, 0), ('f', 'a', 'truncated', 1, 2)) "
        "AS t (experiment_id, side, kind, hits, total)"
    )
    rows = connection.execute("FROM asymmetries('shares', 0.1) ORDER BY ALL").fetchall()
    assert rows == [
        ("e", "a", "truncated 40 %, others 0 %"),
        ("e", "b", "truncated 0 %, others 20 %"),
        ("e", "c", "truncated 0 %, others 20 %"),
        ("f", "a", "truncated 50 %"),
    ]
