from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.building import build
from storage.tables import NAMES, SCHEMA_VERSION, schema
from storage.text import unescape
from tests.storage.test_text import ANY_TEXT

EVENT: dict[str, Any] = {
    "experiment_id": "e",
    "at": None,
    "kind": "k",
    "subject_id": "",
    "cell_id": "",
    "suite_id": "",
    "detail": "d",
}


def read(table: pa.Table, row: int, column: str) -> Any:
    value = table[column][row].as_py()
    if column not in table["escaped"][row].as_py().split(","):
        return value
    return [unescape(item) for item in value] if isinstance(value, list) else unescape(value)


def events(kinds: list[str], details: list[str], subject_id: str = "") -> pa.Table:
    columns = {"kind": kinds, "detail": details}
    return build("events", EVENT | columns | {"subject_id": subject_id}, len(kinds))


def test_the_tables_of_the_design_are_there_and_carry_the_experiment() -> None:
    assert set(NAMES) == {
        "subjects",
        "mutants",
        "cells",
        "suites",
        "tests",
        "executions",
        "calls",
        "rounds",
        "validations",
        "events",
    }
    for name in NAMES:
        assert schema(name).names[0] == "experiment_id"
        assert schema(name).metadata[b"killgrid.schema_version"] == str(SCHEMA_VERSION).encode()


@pytest.mark.parametrize("name", NAMES)
def test_a_table_without_rows_has_its_whole_schema(name: str) -> None:
    columns = {column: [] for column in schema(name).names if column != "escaped"}
    assert build(name, columns, 0).schema == schema(name)


def test_one_value_stands_for_all_rows() -> None:
    table = events(["a", "b", "a"], ["x", "y", "z"])
    assert table["experiment_id"].to_pylist() == ["e", "e", "e"]
    assert table["kind"].to_pylist() == ["a", "b", "a"]


@pytest.mark.parametrize("columns", [{"detail": "d"}, EVENT | {"colour": "red"}])
def test_missing_and_unknown_columns_are_refused(columns: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="columns of events"):
        build("events", columns, 1)


def test_an_unknown_text_is_null_and_not_empty() -> None:
    table = build("events", EVENT | {"kind": ["a", None, ""]}, 3)
    assert table["kind"].to_pylist() == ["a", None, ""]


def test_a_column_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="column kind has 2 values for 1 rows"):
        build("events", EVENT | {"kind": ["a", "b"]}, 1)


def test_a_value_of_another_type_is_refused() -> None:
    with pytest.raises(pa.ArrowTypeError):
        build("events", EVENT | {"at": ["yesterday"]}, 1)


@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT), max_size=5), ANY_TEXT)
def test_any_text_comes_back_from_every_kind_of_column(
    rows: list[tuple[str, str]], constant: str
) -> None:
    kinds, details = [kind for kind, _ in rows], [detail for _, detail in rows]
    table = events(kinds, details, constant)
    assert [read(table, row, "kind") for row in range(len(rows))] == kinds
    assert [read(table, row, "detail") for row in range(len(rows))] == details
    assert [read(table, row, "subject_id") for row in range(len(rows))] == [constant] * len(rows)


@given(st.lists(ANY_TEXT, max_size=4))
def test_lists_of_any_text_come_back(texts: list[str]) -> None:
    columns: dict[str, Any] = dict.fromkeys(schema("rounds").names, "")
    del columns["escaped"]
    numbers = ("round", "survivors_before", "survivors_after", "kills")
    columns |= dict.fromkeys(numbers, 0) | {"dropped_tests": [texts]}
    table = build("rounds", columns, 1)
    assert read(table, 0, "dropped_tests") == texts


def test_escaped_columns_are_named_for_their_rows_only() -> None:
    table = events(["a", "\udc80"], ["\udcff", "clean"])
    assert table["escaped"].to_pylist() == ["detail", "kind"]
