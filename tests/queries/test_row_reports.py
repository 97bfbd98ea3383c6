"""Reports that list: kill_matrix, survivors, killers, slowest_tests, events, self_check."""

from __future__ import annotations

from typing import Any

import pytest

from storage import rows as make
from tests.storage.model_stores import call
from tests.storage.stores import Lab, matrix_row, mutant, subject, suite, validation

ALPHA, BETA = subject("alpha"), subject("beta")


def pick(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


@pytest.fixture
def small(lab: Lab) -> Lab:
    lab.subject(ALPHA, [mutant(ALPHA, "a1"), mutant(ALPHA, "a2"), mutant(ALPHA, "a3")])
    lab.subject(BETA, [mutant(BETA, "b1")])
    lab.cell(ALPHA, "strong", "kkw", {"a1": "FT.", "a2": ".CF", "a3": ".-F"})
    lab.cell(ALPHA, "weak", "kk", {"a1": "..", "a2": "--", "a3": "-."})
    lab.cell(BETA, "strong", "k", {"b1": "F"})
    return lab


def test_the_matrix_has_every_outcome_and_says_which_kill(small: Lab) -> None:
    rows = small.ask("kill_matrix", subject="alpha", arm="strong")
    assert pick(rows, "mutant", "nodeid", "outcome", "kills", "executed", "may_kill") == [
        ("a1", "test_it.py::test_0", "failed", True, True, True),
        ("a1", "test_it.py::test_1", "timeout", True, True, True),
        ("a1", "test_it.py::test_2", "passed", False, True, False),
        ("a2", "test_it.py::test_0", "passed", False, True, True),
        ("a2", "test_it.py::test_1", "crashed", True, True, True),
        ("a2", "test_it.py::test_2", "failed", False, True, False),
        ("a3", "test_it.py::test_0", "passed", False, True, True),
        ("a3", "test_it.py::test_1", "passed", False, False, True),
        ("a3", "test_it.py::test_2", "failed", False, True, False),
    ]


def test_the_matrix_can_be_narrowed_to_a_suite_or_a_mutant(small: Lab) -> None:
    assert len(small.ask("kill_matrix")) == 9 + 6 + 1
    rows = small.ask("kill_matrix", suite=suite(ALPHA, "weak").suite_id, mutant="a2")
    assert pick(rows, "arm", "mutant", "executed") == [("weak", "a2", False)] * 2
    assert len(small.ask("kill_matrix", mutant="mutant-alpha-a2")) == 5


def test_survivors_come_with_their_diff_and_the_tests_that_came_near(small: Lab) -> None:
    rows = small.ask("survivors")
    assert pick(rows, "arm", "mutant", "verdict", "near", "near_tests") == [
        ("strong", "a3", "survived", 1, ["test_it.py::test_0"]),
        ("weak", "a1", "survived", 2, ["test_it.py::test_0", "test_it.py::test_1"]),
        ("weak", "a2", "not_covered", 0, []),
        ("weak", "a3", "survived", 1, ["test_it.py::test_1"]),
    ]
    assert rows[0]["diff"] == "-    return 1\n+    return a3\n"
    assert pick(small.ask("survivors", arm="strong"), "mutant") == [("a3",)]


def test_missing_cells_have_no_survivors(small: Lab) -> None:
    small.cell(BETA, "weak", "k", {"b1": "."}, state="missing", reason="gone")
    assert small.ask("survivors", subject="beta") == []


def test_killers_name_all_tests_that_kill_a_mutant_in_file_order(small: Lab) -> None:
    rows = small.ask("killers")
    assert pick(rows, "subject", "arm", "mutant", "killers", "cut_off", "tests") == [
        ("alpha", "strong", "a1", 2, 1, ["test_it.py::test_0", "test_it.py::test_1"]),
        ("alpha", "strong", "a2", 1, 1, ["test_it.py::test_1"]),
        ("beta", "strong", "b1", 1, 0, ["test_it.py::test_0"]),
    ]


def test_mutants_that_only_one_test_kills(small: Lab) -> None:
    rows = small.ask("killers", only_one="true")
    assert pick(rows, "mutant", "killers") == [("a2", 1), ("b1", 1)]
    assert pick(small.ask("killers", mutant="a1"), "mutant") == [("a1",)]


def test_the_slowest_tests_are_those_that_took_longest_in_all(small: Lab) -> None:
    rows = small.ask("slowest_tests", subject="alpha", arm="strong")
    # Half a second for each mutant that a test reaches; the second test does not reach a3.
    assert pick(rows, "nodeid", "runs", "total_s", "max_s", "timeouts", "crashes") == [
        ("test_it.py::test_0", 3, 1.5, 0.5, 0, 0),
        ("test_it.py::test_2", 3, 1.5, 0.5, 0, 0),
        ("test_it.py::test_1", 2, 1.0, 0.5, 1, 1),
    ]
    assert [row["baseline_s"] for row in rows] == [0.25, 0.75, 0.5]
    assert len(small.ask("slowest_tests", limit="2")) == 2
    assert len(small.ask("slowest_tests", limit="0")) == 6


def test_events_come_in_the_order_of_time(small: Lab) -> None:
    small.event("attempt_lost", "node went away", at=1.8e9 + 1, of=ALPHA)
    small.event("disagreement", "swap passed, process failed", at=1.8e9)
    rows = small.ask("events")
    assert pick(rows, "kind", "subject") == [("disagreement", ""), ("attempt_lost", "alpha")]
    assert pick(small.ask("events", kind="attempt_lost"), "detail") == [("node went away",)]


def bad(lab: Lab) -> dict[str, tuple[str, int, str]]:
    rows = lab.ask("self_check")
    found = {row["check"]: (row["status"], row["found"], row["example"]) for row in rows}
    assert len(found) == 12
    return {name: row for name, row in found.items() if row[0] != "ok"}


def test_a_sound_experiment_passes_its_check(small: Lab) -> None:
    small.event("rechecked", "mutant-alpha-a1")
    assert bad(small) == {}


def test_a_run_of_which_nothing_was_checked_says_so(small: Lab) -> None:
    assert list(bad(small)) == ["rows run again that agree"]
    assert bad(small)["rows run again that agree"][:2] == ("note", 0)


def test_all_that_makes_numbers_unusable_is_told(small: Lab) -> None:
    small.event("rechecked", "mutant-alpha-a1")
    small.event("disagreement", "swap passed, process failed")
    small.event("unstable", "differs from itself")
    small.cell(BETA, "lost", "k", state="missing", reason="node went away")
    small.cell(ALPHA, "short", "k", {"a1": "F"})
    made, cell_id = suite(BETA, "strong"), "cell-beta-strong-0"
    twice = make.CellState(cell_id, BETA.subject_id, "strong", 0, made.suite_id, "done")
    small.commit(cells=make.cell_rows(small.experiment_id, [twice]))
    about = (small.experiment_id, cell_id, made, validation(made, "k"))
    again = make.execution_rows(*about, "default", [matrix_row("mutant-beta-b1", "F")])
    small.commit(executions=again)
    small.no_suite(BETA, "cut", "length")
    nowhere = make.CellState("cell-gone", BETA.subject_id, "gone", 0, "suite-gone", "done")
    small.commit(cells=make.cell_rows(small.experiment_id, [nowhere]))
    call(small, BETA, "cut", "error", "length")
    call(small, BETA, "cut", "error", "stop")
    call(small, BETA, "cut", "unreceipted", draw=1)
    small.manifest(cells=9)
    assert bad(small) == {
        "missing cells": ("bad", 1, "node went away"),
        "cells not finished": ("bad", 2, "9 planned"),
        "cells stored twice": ("bad", 1, "cell-beta-strong-0"),
        "suites that lack rows of mutants": ("bad", 1, "suite-alpha-short-0: 1 of 3 mutants"),
        "rows stored twice": ("bad", 1, "suite-beta-strong-0"),
        "finished cells without their suite": ("bad", 1, "cell-gone"),
        "model calls answered twice": ("bad", 1, "cell-beta-cut-0/0"),
        "model calls without a receipt": ("note", 1, "cell-beta-cut-0/1"),
        "disagreements between strategies": ("bad", 1, "swap passed, process failed"),
        "rows that differ from run to run": ("note", 1, "differs from itself"),
    }
