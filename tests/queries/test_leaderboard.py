"""Reports that set writers side by side: leaderboard and conditions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.queries.macros import cluster_reference
from tests.storage.model_stores import call
from tests.storage.stores import Lab, mutant, subject

ALPHA, BETA = subject("alpha"), subject("beta")
A_MUTANTS = [mutant(ALPHA, "bug", planted=True), mutant(ALPHA, "a2")]
B_MUTANTS = [mutant(BETA, "bug", planted=True), *(mutant(BETA, f"b{n}") for n in (2, 3, 4))]


def pick(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def written(model: str, condition: str) -> dict[str, str]:
    return {"origin": "model", "model": f"local/{model}", "condition": condition}


@pytest.fixture
def race(lab: Lab) -> Lab:
    """Models big and small over two subjects and two replicates; half of big's calls are cut."""
    lab.subject(ALPHA, A_MUTANTS)
    lab.subject(BETA, B_MUTANTS)
    big, small = written("big", "spec_only"), written("small", "code_shown")
    # big: green on alpha (both mutants), valid with a wrong test on beta (3 of 4), two cells cut.
    lab.cell(ALPHA, "x", "kk", {"bug": "F.", "a2": ".T"}, **big)
    beta = {"bug": "F.", "b2": "F.", "b3": "FF", "b4": ".F"}
    lab.cell(BETA, "x", "kw", beta, **big)
    for of in (ALPHA, BETA):
        lab.no_suite(of, "x", "length", replicate=1)
        call(lab, of, "x", "stop", model="big")
        call(lab, of, "x", "error", "length", model="big", replicate=1)
    # small: green but blind on alpha twice, not valid on beta once, missing once.
    for replicate in (0, 1):
        about = {**small, "replicate": replicate}
        lab.cell(ALPHA, "y", "k", {"bug": ".", "a2": "F"}, **about)
        call(lab, ALPHA, "y", "stop", model="small", condition="code_shown", replicate=replicate)
        call(lab, BETA, "y", "stop", model="small", condition="code_shown", replicate=replicate)
    lab.cell(BETA, "y", "ww", {"bug": ".F"}, status="no_kept_tests", **small)
    lab.cell(BETA, "y", "k", {}, state="missing", reason="gone", replicate=1)
    return lab


def test_an_asymmetry_is_told_before_any_score(race: Lab) -> None:
    rows = race.ask("leaderboard")
    assert list(rows[0])[:4] == ["arm", "usable", "warning", "score"]
    assert pick(rows, "arm", "usable", "warning") == [
        ("x", 0.5, "truncated 50 %, others 0 %; missing cells 0 %, others 25 %"),
        ("y", 1.0, "truncated 0 %, others 50 %; missing cells 25 %, others 0 %"),
    ]
    assert pick(race.ask("leaderboard", gap="0.3"), "warning") == [
        ("truncated 50 %, others 0 %",),
        ("truncated 0 %, others 50 %",),
    ]


def test_a_suite_that_fails_on_the_correct_code_scores_zero(race: Lab) -> None:
    rows = race.ask("leaderboard")
    # x: 2 of alpha's 2 mutants and 0 of beta's 4. y: 1 of 2 twice, 0 of 4.
    assert pick(rows, "arm", "score", "caught", "mutants") == [
        ("x", pytest.approx(2 / 6), 2, 6),
        ("y", pytest.approx(2 / 8), 2, 8),
    ]


def test_once_wrong_tests_are_dropped_the_rest_of_a_suite_counts(race: Lab) -> None:
    rows = race.ask("leaderboard")
    assert pick(rows, "arm", "score_kept", "valid", "green", "suites") == [
        ("x", pytest.approx(5 / 6), 2, 1, 2),
        ("y", pytest.approx(2 / 8), 2, 2, 3),
    ]


def test_cells_without_a_usable_reply_are_counted_apart_and_zero_in_their_own_column(
    race: Lab,
) -> None:
    race.no_suite(ALPHA, "x", "refused", replicate=2)
    race.no_suite(ALPHA, "x", "empty", replicate=3)
    race.no_suite(ALPHA, "x", "unknown", replicate=4)
    race.no_suite(ALPHA, "x", "nothing could be generated", replicate=5)
    x, y = race.ask("leaderboard")
    names = ("truncated", "refused", "empty", "unknown", "no_code", "missing", "cells", "usable")
    assert pick([x, y], *names) == [
        (2, 1, 1, 1, 1, 0, 8, 0.25),
        (0, 0, 0, 0, 0, 1, 4, 1.0),
    ]
    assert x["score"] == pytest.approx(2 / 6)
    # alpha's 2 mutants unmet five times, beta's 4 once.
    assert x["score_zero"] == pytest.approx(2 / (6 + 10 + 4))
    assert y["score_zero"] == y["score"]


def test_an_arm_of_which_nothing_could_be_used_has_no_score_but_a_row(lab: Lab) -> None:
    lab.subject(ALPHA, A_MUTANTS)
    lab.no_suite(ALPHA, "x", "length")
    call(lab, ALPHA, "x", "length", model="big", output_tokens=800)
    (row,) = lab.ask("leaderboard")
    assert pick([row], "usable", "warning", "score", "score_kept", "score_zero", "writer") == [
        (0.0, "truncated 100 %", None, None, 0.0, "local/big")
    ]
    assert (row["usd_per_kill"], row["known_usd"], row["unknown_costs"]) == (None, 0.5, 0)


def test_the_intervals_draw_subjects_and_replicates(race: Lab) -> None:
    x, y = race.ask("leaderboard", resamples="200", seed="5", level="0.8")
    assert (x["low"], x["high"]) == pytest.approx(cluster_reference([2, 0], [2, 4], 200, 0.8, 5))
    assert (y["low"], y["high"]) == pytest.approx(cluster_reference([2, 0], [4, 4], 200, 0.8, 5))
    # All that x has to score is of one replicate.
    assert (x["run_low"], x["run_high"]) == (None, None)
    expected = cluster_reference([1, 1], [6, 2], 200, 0.8, 5)
    assert (y["run_low"], y["run_high"]) == pytest.approx(expected)


def test_costs_are_of_all_calls_and_empty_where_one_is_not_known(race: Lab) -> None:
    x, y = race.ask("leaderboard")
    # x: six attempts of 0.50, five kills of kept tests; y: four of 0.50, two kills, two valid.
    assert pick([x, y], "known_usd", "usd_per_kill", "usd_per_valid_suite") == [
        (3.0, pytest.approx(0.6), 1.5),
        (2.0, 1.0, 1.0),
    ]
    call(race, ALPHA, "x", "unreceipted", model="big", cost_usd=None, replicate=2)
    x, y = race.ask("leaderboard")
    assert (x["known_usd"], x["unknown_costs"], x["usd_per_kill"]) == (3.0, 1, None)
    assert y["usd_per_kill"] == 1.0


def test_an_incomplete_suite_is_in_no_score(race: Lab) -> None:
    race.cell(ALPHA, "y", "k", {"bug": "F"}, replicate=2)
    y = race.ask("leaderboard", arm="y")[0]
    assert (y["incomplete"], y["score"], y["usd_per_kill"]) == (1, pytest.approx(2 / 8), None)


def test_rows_may_be_writers_or_conditions(race: Lab) -> None:
    about = {**written("big", "code_shown"), "replicate": 0}
    race.cell(ALPHA, "z", "kk", {"bug": "F.", "a2": "F."}, **about)
    rows = race.ask("leaderboard", per="writer")
    assert pick(rows, "arm", "condition", "cells", "score") == [
        ("local/big", "", 5, pytest.approx(4 / 8)),
        ("local/small", "code_shown", 4, pytest.approx(2 / 8)),
    ]
    rows = race.ask("leaderboard", per="condition")
    assert pick(rows, "arm", "writer", "cells") == [
        ("code_shown", "", 5),
        ("spec_only", "local/big", 4),
    ]


def test_the_condition_shows_what_it_does_to_the_planted_bug(race: Lab) -> None:
    big, small = race.ask("conditions")
    assert list(big)[:5] == ["writer", "condition", "usable", "warning", "caught"]
    assert pick([big, small], "writer", "condition", "usable") == [
        ("local/big", "spec_only", 0.5),
        ("local/small", "code_shown", 1.0),
    ]
    assert big["warning"].startswith("truncated 50 %, others 0 %")
    # big catches the bug on both subjects, once with a test beside it that locks the bug in.
    names = ("caught", "green_caught", "locking", "valid", "green", "suites", "bugs", "not_run")
    assert pick([big, small], *names) == [
        (1.0, 0.5, 0.5, 1.0, 0.5, 2, 2, 0),
        (0.0, 0.0, pytest.approx(1 / 3), pytest.approx(2 / 3), pytest.approx(2 / 3), 3, 3, 0),
    ]
    assert pick([big, small], "cells", "truncated", "otherwise_unusable", "missing") == [
        (4, 2, 0, 0),
        (4, 0, 0, 1),
    ]


def test_the_interval_of_what_is_caught_draws_subjects(race: Lab) -> None:
    race.cell(
        ALPHA, "y", "k", {"bug": "F", "a2": "."}, replicate=2, **written("small", "code_shown")
    )
    small = race.ask("conditions", arm="y", resamples="200", seed="5", level="0.8")[0]
    assert small["caught"] == pytest.approx(1 / 4)
    expected = cluster_reference([1, 0], [3, 1], 200, 0.8, 5)
    assert (small["low"], small["high"]) == pytest.approx(expected)


def test_what_was_not_run_on_the_bug_is_in_no_share(lab: Lab) -> None:
    lab.subject(ALPHA, A_MUTANTS)
    lab.cell(ALPHA, "y", "kw", {"a2": "F."})
    (row,) = lab.ask("conditions")
    assert pick([row], "bugs", "not_run", "caught", "locking", "valid") == [(0, 1, None, None, 1.0)]


def test_subjects_without_a_planted_bug_are_no_condition(lab: Lab) -> None:
    lab.subject(ALPHA, [mutant(ALPHA, "a1")])
    lab.cell(ALPHA, "y", "k", {"a1": "F"})
    assert lab.ask("conditions") == []
