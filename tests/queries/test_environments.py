"""The same suite under several settings: verdicts, scores and the report environments."""

from __future__ import annotations

from typing import Any

import pytest

from tests.storage.stores import Lab, mutant, subject

ALPHA = subject("alpha")


def pick(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def verdicts(lab: Lab) -> dict[str, str]:
    rows = lab.sql("SELECT name, verdict FROM verdicts JOIN mutants USING (mutant_id)")
    return {row["name"]: row["verdict"] for row in rows}


@pytest.fixture
def zones(lab: Lab) -> Lab:
    """A suite of two kept tests under three settings, in the last of which one is not kept."""
    lab.subject(ALPHA, [mutant(ALPHA, f"m{n}", planted=n == 2) for n in range(1, 6)])
    lab.cell(
        ALPHA,
        "arm",
        "kk",
        {"m1": "F.", "m2": "..", "m3": "T.", "m4": "-.", "m5": "--"},
        elsewhere={
            "ahead": ("kk", {"m1": "..", "m2": ".F", "m3": "F.", "m4": "--", "m5": "--"}, "valid"),
            "behind": ("kw", {"m1": ".F", "m2": "-F", "m3": ".F", "m4": "-F", "m5": "-F"}, "valid"),
        },
    )
    return lab


def test_what_is_killed_in_any_environment_is_killed(zones: Lab) -> None:
    # A wrong test kills nothing where it is wrong, so `behind` adds nothing.
    assert verdicts(zones) == {
        "m1": "killed",
        "m2": "killed",
        "m3": "killed",
        "m4": "survived",
        "m5": "not_covered",
    }


def test_each_environment_has_verdicts_of_its_own(zones: Lab) -> None:
    rows = zones.sql(
        "SELECT environment, name, verdict FROM environment_verdicts "
        "JOIN mutants USING (mutant_id) ORDER BY ALL"
    )
    found: dict[str, str] = {}
    for row in rows:
        found[row["environment"]] = found.get(row["environment"], "") + row["verdict"][0]
    # k illed, s urvived, t imeout, n ot covered, of m1 to m5.
    assert found == {"default": "kstsn", "ahead": "skknn", "behind": "snsnn"}


def test_a_suite_has_one_row_and_one_score_whatever_the_environments(zones: Lab) -> None:
    (row,) = zones.sql("FROM suite_scores")
    assert (row["killed"], row["timeout"], row["survived"], row["not_covered"]) == (3, 0, 1, 1)
    assert (row["environments"], row["tests_due"], row["complete"]) == (3, 5, True)
    assert row["score"] == pytest.approx(3 / 5)
    assert (
        len(zones.sql("SELECT DISTINCT test_id, environment FROM executions WHERE may_kill")) == 5
    )
    assert len(zones.sql("FROM kills")) == 4


def test_a_suite_that_lacks_a_row_in_one_environment_is_not_complete(lab: Lab) -> None:
    lab.subject(ALPHA, [mutant(ALPHA, "m1"), mutant(ALPHA, "m2")])
    other = {"ahead": ("k", {"m1": "."}, "valid")}
    lab.cell(ALPHA, "short", "k", {"m1": "F", "m2": "F"}, elsewhere=other)
    (row,) = lab.sql("FROM suite_results")
    assert (row["judged"], row["mutants"], row["complete"]) == (2, 2, False)
    assert lab.sql("SELECT score FROM suite_scores") == [{"score": None}]


def test_a_suite_with_no_row_at_all_in_one_environment_is_not_complete(lab: Lab) -> None:
    lab.subject(ALPHA, [mutant(ALPHA, "m1")])
    lab.cell(ALPHA, "short", "k", {"m1": "F"}, elsewhere={"ahead": ("k", {}, "valid")})
    assert lab.sql("SELECT complete FROM suite_results") == [{"complete": False}]


def test_where_a_suite_is_not_valid_it_owes_no_rows_and_kills_nothing(lab: Lab) -> None:
    lab.subject(ALPHA, [mutant(ALPHA, "m1")])
    other = {"ahead": ("k", {"m1": "F"}, "not_exercised")}
    lab.cell(ALPHA, "arm", "k", {"m1": "."}, elsewhere=other)
    (row,) = lab.sql("FROM suite_scores")
    assert (row["environments"], row["complete"], row["score"]) == (1, True, 0.0)


def test_a_suite_is_valid_if_it_is_in_the_primary_environment(lab: Lab) -> None:
    lab.subject(ALPHA, [mutant(ALPHA, "m1")])
    other = {"ahead": ("k", {"m1": "F"}, "valid")}
    lab.cell(ALPHA, "arm", "w", status="no_kept_tests", elsewhere=other)
    assert lab.sql("FROM suite_scores") == lab.sql("FROM verdicts") == lab.sql("FROM kills") == []


def test_the_report_tells_what_only_one_environment_catches(zones: Lab) -> None:
    rows = zones.ask("environments")
    names = ("environment", "met", "caught", "only_here", "not_here", "planted_only_here")
    assert pick(rows, *names) == [
        ("default", 5, 2, 1, 1, 0),
        ("ahead", 5, 2, 1, 1, 1),
        ("behind", 5, 0, 0, 3, 0),
    ]
    assert pick(rows, "examples", "score", "valid", "primary") == [
        (["m1"], 0.4, 1, True),
        (["m2"], 0.4, 1, False),
        ([], 0.0, 1, False),
    ]


def test_one_environment_has_nothing_to_be_compared_with(lab: Lab) -> None:
    lab.subject(ALPHA, [mutant(ALPHA, "m1")])
    lab.cell(ALPHA, "arm", "k", {"m1": "F"})
    (row,) = lab.ask("environments")
    assert (row["environment"], row["met"], row["only_here"], row["score"]) == (
        "default",
        0,
        None,
        None,
    )


def test_tests_are_listed_once_whatever_the_environments(zones: Lab) -> None:
    rows = zones.ask("killers")
    assert pick(rows, "mutant", "killers", "tests") == [
        ("m1", 1, ["test_it.py::test_0"]),
        ("m2", 1, ["test_it.py::test_1"]),
        ("m3", 1, ["test_it.py::test_0"]),
    ]
    (m4, m5) = zones.ask("survivors")
    assert (m4["near"], m4["near_tests"]) == (1, ["test_it.py::test_1"])
    assert (m5["near"], m5["verdict"]) == (0, "not_covered")
    assert len(zones.ask("kill_matrix")) == 30
    may_kill = [row for row in zones.ask("kill_matrix") if row["kills"]]
    assert {row["environment"] for row in may_kill} == {"default", "ahead"}
    assert {row["found"] for row in zones.ask("self_check") if row["status"] == "bad"} == set()


def test_a_bug_locked_in_under_one_setting_is_locked_in(lab: Lab) -> None:
    lab.subject(ALPHA, [mutant(ALPHA, "bug", planted=True)])
    other = {"ahead": ("kw", {"bug": ".."}, "valid")}
    lab.cell(ALPHA, "arm", "kk", {"bug": ".."}, elsewhere=other)
    (row,) = lab.ask("bug_locking")
    assert pick([row], "tests", "wrong", "checked", "locking", "not_run") == [(2, 1, 1, 1, 0)]
