"""Reports that count: mutation_score, suite_validity, operators, bug_locking, compare_arms."""

from __future__ import annotations

from typing import Any

import pytest
from scipy.stats import binomtest

from tests.queries.macros import cluster_reference, paired_reference
from tests.storage.stores import Lab, mutant, subject

ALPHA = subject("alpha", family="dates", split="dev")
BETA = subject("beta", family="dates", split="test")
GAMMA = subject("gamma", family="money", split="test")


def pick(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


@pytest.fixture
def three(lab: Lab) -> Lab:
    """Three subjects and two arms: strong, valid throughout, and weak, with trouble."""
    lab.subject(ALPHA, [mutant(ALPHA, "a1", planted=True), mutant(ALPHA, "a2", operator="string")])
    lab.subject(BETA, [mutant(BETA, name) for name in ("b1", "b2", "b3", "b4")])
    lab.subject(GAMMA, [mutant(GAMMA, "g1"), mutant(GAMMA, "g2", status="duplicate")])
    lab.cell(ALPHA, "strong", "kk", {"a1": "F.", "a2": ".T"})
    lab.cell(BETA, "strong", "k", {"b1": "F", "b2": "F", "b3": "F", "b4": "."})
    lab.cell(GAMMA, "strong", "k", {"g1": "F"})
    lab.cell(ALPHA, "weak", "kw", {"a1": ".F", "a2": "F."})
    lab.cell(BETA, "weak", "", status="syntax_error", reason="line 3: invalid syntax")
    lab.cell(GAMMA, "weak", "k", {"g1": "-"}, state="missing", reason="node went away")
    return lab


def test_scores_of_every_subject_come_with_what_they_are_made_of(three: Lab) -> None:
    names = ("subjects", "arm", "score", "mutants", "killed", "timeout", "survived", "suites")
    assert pick(three.ask("mutation_score"), *names) == [
        ("alpha", "strong", 1.0, 2, 1, 1, 0, 1),
        ("alpha", "weak", 0.5, 2, 1, 0, 1, 1),
        ("beta", "strong", 0.75, 4, 3, 0, 1, 1),
        ("beta", "weak", None, 0, 0, 0, 0, 0),
        ("gamma", "strong", 1.0, 1, 1, 0, 0, 1),
        ("gamma", "weak", None, 0, 0, 0, 0, 0),
    ]


def test_validity_and_missing_cells_are_told_apart_from_the_score(three: Lab) -> None:
    names = ("arm", "score", "mean_score", "suites", "validity", "invalid", "missing", "cells")
    strong, weak = pick(three.ask("mutation_score", by="all"), *names)
    assert strong == ("strong", 6 / 7, pytest.approx(2.75 / 3), 3, 1.0, 0, 0, 3)
    assert weak == ("weak", 0.5, 0.5, 1, 0.5, 1, 1, 3)


def test_invalid_suites_score_zero_on_demand(three: Lab) -> None:
    rows = three.ask("mutation_score", by="all", invalid_as_zero="true")
    assert pick(rows, "arm", "score", "mutants", "suites", "validity") == [
        ("strong", 6 / 7, 7, 3, 1.0),
        ("weak", 1 / 6, 6, 2, 0.5),
    ]


def test_groups_are_families_or_splits_on_demand(three: Lab) -> None:
    rows = three.ask("mutation_score", by="family", arm="strong")
    assert pick(rows, "subjects", "score") == [("dates", 5 / 6), ("money", 1.0)]
    rows = three.ask("mutation_score", by="split", arm="strong")
    assert pick(rows, "subjects", "score") == [("dev", 1.0), ("test", 0.8)]
    rows = three.ask("mutation_score", subject="beta")
    assert pick(rows, "subjects", "arm") == [("beta", "strong"), ("beta", "weak")]


def test_the_interval_resamples_subjects(three: Lab) -> None:
    rows = three.ask("mutation_score", by="all", resamples="200", seed="5", level="0.8")
    low, high = cluster_reference([2, 3, 1], [2, 4, 1], 200, 0.8, 5)
    assert pick(rows, "low", "high") == [(pytest.approx(low), pytest.approx(high)), (None, None)]


def test_an_incomplete_suite_is_counted_and_not_scored(lab: Lab) -> None:
    lab.subject(ALPHA, [mutant(ALPHA, "a1"), mutant(ALPHA, "a2")])
    lab.cell(ALPHA, "short", "k", {"a1": "F"})
    (row,) = lab.ask("mutation_score")
    assert (row["score"], row["suites"], row["incomplete"], row["validity"]) == (None, 0, 1, 1.0)


def test_every_status_of_suites_is_counted_with_a_reason(three: Lab) -> None:
    three.cell(GAMMA, "odd", "kycws", {"g1": "....s"})
    names = ("arm", "status", "suites", "share", "example")
    assert pick(three.ask("suite_validity"), *names) == [
        ("odd", "valid", 1, 1.0, ""),
        ("strong", "valid", 3, 1.0, ""),
        ("weak", "valid", 1, 0.5, ""),
        ("weak", "syntax_error", 1, 0.5, "line 3: invalid syntax"),
    ]
    (odd,) = three.ask("suite_validity", arm="odd")
    dropped = ("tests", "kept", "flaky", "wrong_oracle", "fails_control", "skipped")
    assert pick([odd], *dropped) == [(5, 1, 1, 1, 1, 1)]


def test_scores_by_operator(three: Lab) -> None:
    rows = three.ask("operators")
    names = ("arm", "engine", "category", "operator", "score", "mutants", "verdicts")
    assert pick(rows, *names) == [
        ("strong", "variants", "constant", "number", 5 / 6, 6, 6),
        ("strong", "variants", "constant", "string", 1.0, 1, 1),
        ("weak", "variants", "constant", "number", 0.0, 1, 1),
        ("weak", "variants", "constant", "string", 1.0, 1, 1),
    ]
    assert len(three.ask("operators", subject="beta")) == 1


def test_a_test_that_fails_on_the_reference_and_passes_on_the_bug_locks_it_in(lab: Lab) -> None:
    lab.subject(ALPHA, [mutant(ALPHA, "bug", planted=True), mutant(ALPHA, "other")])
    lab.subject(BETA, [mutant(BETA, "other")])
    # Two wrong tests, of which the first passes on the bug; a flaky one is not wrong.
    lab.cell(ALPHA, "locking", "kwwy", {"bug": "..F.", "other": ".F.F"})
    lab.cell(ALPHA, "honest", "kk", {"bug": "F.", "other": ".."})
    lab.cell(BETA, "locking", "kw", {"other": ".."})
    names = ("arm", "suites", "tests", "wrong", "checked", "locking", "not_run", "share")
    assert pick(lab.ask("bug_locking"), *names) == [
        ("honest", 1, 2, 0, 0, 0, 0, None),
        ("locking", 1, 4, 2, 2, 1, 0, 0.5),
    ]
    (row,) = lab.ask("bug_locking", arm="locking", by="subject")
    assert (row["subjects"], row["examples"]) == ("alpha", ["test_it.py::test_1"])


def test_wrong_tests_that_never_met_the_bug_are_not_taken_for_honest(lab: Lab) -> None:
    lab.subject(ALPHA, [mutant(ALPHA, "bug", planted=True)])
    lab.cell(ALPHA, "locking", "ww", status="no_kept_tests")
    (row,) = lab.ask("bug_locking")
    assert pick([row], "wrong", "checked", "locking", "not_run", "share") == [(2, 0, 0, 2, None)]


@pytest.fixture
def duel(lab: Lab) -> Lab:
    """Arms x and y on two subjects: x alone kills 5 mutants, y alone 1, both 2, neither 1."""
    lab.subject(ALPHA, [mutant(ALPHA, f"a{n}") for n in range(6)])
    lab.subject(BETA, [mutant(BETA, f"b{n}") for n in range(3)])
    lab.cell(ALPHA, "x", "k", dict(zip((f"a{n}" for n in range(6)), "FTFF.F", strict=True)))
    lab.cell(ALPHA, "y", "k", dict(zip((f"a{n}" for n in range(6)), "..F.FE", strict=True)))
    lab.cell(BETA, "x", "k", dict(zip(("b0", "b1", "b2"), "FF.", strict=True)))
    lab.cell(BETA, "y", "k", dict(zip(("b0", "b1", "b2"), "-..", strict=True)))
    return lab


def test_two_arms_are_compared_on_the_same_mutants(duel: Lab) -> None:
    (row,) = duel.ask("compare_arms", resamples="300", seed="9")
    names = ("a", "b", "subjects", "mutants", "pairs", "both_kill", "only_a", "only_b", "neither")
    assert pick([row], *names) == [("x", "y", 2, 9, 9, 2, 5, 1, 1)]
    assert row["mcnemar_p"] == pytest.approx(binomtest(1, 6, 0.5).pvalue, abs=1e-12)
    assert (row["score_a"], row["score_b"]) == (pytest.approx(7 / 9), pytest.approx(3 / 9))
    assert row["difference"] == pytest.approx(4 / 9)
    differences = [1.0, 1, 0, 1, -1, 0, 1, 1, 0]
    expected = paired_reference(differences, 300, 0.95, 9)
    assert (row["low"], row["high"]) == pytest.approx(expected)
    expected = cluster_reference([2, 2], [6, 3], 300, 0.95, 9)
    assert (row["subject_low"], row["subject_high"]) == pytest.approx(expected)
    assert (row["without_low"], row["without_high"]) == (pytest.approx(1 / 3), pytest.approx(2 / 3))


def test_the_order_of_the_arms_turns_the_difference_round(duel: Lab) -> None:
    (row,) = duel.ask("compare_arms", a="y", b="x", resamples="10")
    assert (row["a"], row["only_a"], row["only_b"]) == ("y", 1, 5)
    assert row["difference"] == pytest.approx(-4 / 9)


def test_one_arm_may_be_compared_with_all_others(duel: Lab) -> None:
    duel.cell(BETA, "z", "k", {"b0": "F", "b1": "F", "b2": "F"})
    every = duel.ask("compare_arms", resamples="10")
    assert pick(every, "a", "b") == [("x", "y"), ("x", "z"), ("y", "z")]
    assert pick(duel.ask("compare_arms", a="z", resamples="10"), "b") == [("x",), ("y",)]
    assert pick(duel.ask("compare_arms", b="z", resamples="10"), "a") == [("x",), ("y",)]


def test_what_only_one_arm_has_is_left_out_and_counted(duel: Lab) -> None:
    duel.subject(GAMMA, [mutant(GAMMA, "g1")])
    duel.cell(GAMMA, "x", "k", {"g1": "F"})
    duel.cell(GAMMA, "y", "", status="collect_error")
    (row,) = duel.ask("compare_arms", resamples="10")
    assert (row["cells"], row["cells_compared"], row["mutants"]) == (3, 2, 9)


def test_replicates_have_no_mcnemar_test_until_one_is_named(duel: Lab) -> None:
    duel.cell(BETA, "x", "k", {"b0": "F", "b1": ".", "b2": "."}, replicate=1)
    duel.cell(BETA, "y", "k", {"b0": ".", "b1": ".", "b2": "F"}, replicate=1)
    (row,) = duel.ask("compare_arms", resamples="10")
    assert (row["pairs"], row["mutants"], row["mcnemar_p"]) == (12, 9, None)
    # Differences of beta's mutants over both replicates: 1, 0.5 and -0.5.
    assert row["difference"] == pytest.approx((2 + 1) / 9)
    (row,) = duel.ask("compare_arms", resamples="10", replicate="1")
    assert (row["pairs"], row["mcnemar_p"]) == (3, 1.0)


def test_arms_may_be_compared_on_one_subject(duel: Lab) -> None:
    (row,) = duel.ask("compare_arms", subject="beta", resamples="10")
    names = (
        "cells",
        "cells_compared",
        "subjects",
        "mutants",
        "only_a",
        "subject_low",
        "without_low",
    )
    assert pick([row], *names) == [(1, 1, 1, 3, 2, None, None)]
