from __future__ import annotations

from datetime import datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage import rows as make
from storage.rows import CellState
from storage.tables import NAMES, schema
from tasks.records import SourceFile, Suite
from tasks.results import Event, Execution, Row, SuiteStatus, Validation
from tests.storage.stores import matrix_row, mutant, subject, suite, validation
from tests.storage.test_building import read
from tests.storage.test_text import ANY_TEXT

ALPHA = subject("alpha", family="dates", split="dev")
SUITE = suite(ALPHA, "weak", 2)


def executions(of: Suite, *rows: Row, kinds: str = "kk", status: SuiteStatus = "valid") -> pa.Table:
    return make.execution_rows("e", "c", of, validation(of, kinds, status), "default", rows)


def test_every_kind_of_row_has_the_schema_of_its_table() -> None:
    found = validation(SUITE, "kw")
    made = {
        "subjects": make.subject_rows("e", ALPHA),
        "mutants": make.mutant_rows("e", [mutant(ALPHA, "m")]),
        "cells": make.cell_rows("e", [CellState("c", "s", "a", 0, "u", "done")]),
        "suites": make.suite_rows("e", "c", SUITE, found),
        "validations": make.validation_rows("e", "c", SUITE, found, "default", True),
        "tests": make.test_rows("e", "c", SUITE, found, "default"),
        "executions": executions(SUITE, matrix_row("m", ".")),
        "events": make.event_rows("e", [Event(0.0, "k", "d")]),
    }
    assert set(NAMES) - set(made) == {"calls", "rounds"}
    for name, table in made.items():
        assert table.schema == schema(name)
        assert table["experiment_id"].unique().to_pylist() == ["e"]


def test_no_records_make_no_rows() -> None:
    nothing = Validation(SUITE.suite_id, "syntax_error", "line 3")
    assert make.mutant_rows("e", []).num_rows == 0
    assert make.cell_rows("e", []).num_rows == 0
    assert make.event_rows("e", []).num_rows == 0
    assert make.test_rows("e", "c", SUITE, nothing, "default").num_rows == 0
    assert executions(SUITE).num_rows == 0


def test_a_subject_has_its_hashes() -> None:
    (row,) = make.subject_rows("e", ALPHA, "f00").to_pylist()
    assert row["tree_sha256"] == ALPHA.tree_sha256
    assert row["mutant_set_sha256"] == "f00"
    assert row["environment_id"] == ALPHA.environment.environment_id
    assert row["targets"] == ["solution.py"]


def test_mutants_keep_the_order_of_their_set() -> None:
    mutants = [mutant(ALPHA, name, planted=name == "b") for name in "cab"]
    rows = make.mutant_rows("e", mutants).to_pylist()
    assert [(row["ordinal"], row["name"], row["planted"]) for row in rows] == [
        (0, "c", False),
        (1, "a", False),
        (2, "b", True),
    ]
    assert rows[0]["source_sha256"] == mutants[0].source_sha256


def test_a_suite_counts_its_tests() -> None:
    cut = suite(ALPHA, "weak", 2, flags=("cut",), draw=3, prompt_sha256="f00")
    (row,) = make.suite_rows("e", "c", cut, validation(cut, "kwyc")).to_pylist()
    assert (row["tests_collected"], row["tests_kept"], row["status"]) == (4, 1, "valid")
    assert (row["arm"], row["replicate"], row["flags"]) == ("weak", 2, ["cut"])
    assert (row["draw"], row["prompt_sha256"]) == (3, "f00")


def test_every_environment_says_what_it_made_of_a_suite() -> None:
    found = validation(SUITE, "kw", "valid", raised="assert 1 == 2")
    (row,) = make.validation_rows("e", "c", SUITE, found, "ahead", False).to_pylist()
    assert (row["environment"], row["primary"], row["tests_kept"]) == ("ahead", False, 1)
    tests = make.test_rows("e", "c", SUITE, found, "ahead").to_pylist()
    assert [(t["environment"], t["exception"], t["message"]) for t in tests] == [
        ("ahead", "", ""),
        ("ahead", "AssertionError", "assert 1 == 2"),
    ]


def test_the_source_of_a_suite_comes_back_byte_for_byte() -> None:
    data = "# -*- coding: latin-1 -*-\r\nx = 'é'\r\n".encode("latin-1")
    odd = Suite("u", "s", "a", 0, (SourceFile("test_a.py", data),), ("test_a.py",))
    table = make.suite_rows("e", "c", odd, Validation("u", "valid"))
    assert read(table, 0, "source").encode("utf-8", "surrogateescape") == data


def test_the_matrix_has_one_row_for_each_mutant_and_test() -> None:
    rows = [matrix_row("m1", ".F"), matrix_row("m2", "T-")]
    table = executions(SUITE, *rows).to_pylist()
    shown = [(r["mutant_id"], r["test_id"][-5:], r["outcome"], r["executed"]) for r in table]
    assert shown == [
        ("m1", "00000", "passed", True),
        ("m1", "00001", "failed", True),
        ("m2", "00000", "timeout", True),
        ("m2", "00001", "passed", False),
    ]
    assert {row["suite_id"] for row in table} == {SUITE.suite_id}
    assert table[1]["exception"] == "AssertionError"


def test_ids_of_tests_are_those_of_the_validation() -> None:
    ids = make.test_rows("e", "c", SUITE, validation(SUITE, "kk"), "default")["test_id"].to_pylist()
    rows = executions(SUITE, matrix_row("m", ".."))
    assert rows["test_id"].to_pylist() == ids == [t.test_id for t in validation(SUITE, "kk").tests]


@pytest.mark.parametrize(
    ("status", "expected"), [("valid", [True, False]), ("not_exercised", [False, False])]
)
def test_kept_tests_of_a_valid_suite_may_kill(status: SuiteStatus, expected: list[bool]) -> None:
    table = executions(SUITE, matrix_row("m", "FF"), kinds="kw", status=status)
    assert table["ordinal"].to_pylist() == [0, 1]
    assert table["may_kill"].to_pylist() == expected


def test_a_row_cut_short_has_only_what_was_run() -> None:
    rows = [matrix_row("m1", ".F"), matrix_row("m2", "F")]
    table = executions(SUITE, *rows)
    assert table["mutant_id"].to_pylist() == ["m1", "m1", "m2"]


@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT), max_size=4))
def test_whatever_a_test_raises_comes_back(raised: list[tuple[str, str]]) -> None:
    entries = [Execution(n, "failed", True, 0.1, *texts) for n, texts in enumerate(raised)]
    table = executions(SUITE, Row("m", "swap", tuple(entries)), kinds="kkkk")
    back = [(read(table, n, "exception"), read(table, n, "message")) for n in range(len(raised))]
    assert back == raised


def test_events_are_at_their_time_in_utc() -> None:
    (row,) = make.event_rows("e", [Event(86400.5, "k", "d")], cell_id="c").to_pylist()
    assert row["at"] == datetime(1970, 1, 2, 0, 0, 0, 500_000)
    assert (row["cell_id"], row["subject_id"]) == ("c", "")


def test_an_unknown_cost_is_null_and_not_zero() -> None:
    (row,) = make.cell_rows("e", [CellState("c", "s", "a", 0, "u", "missing", "why")]).to_pylist()
    assert row["cost_usd"] is None
    assert (row["status"], row["reason"], row["attempts"]) == ("missing", "why", 1)
