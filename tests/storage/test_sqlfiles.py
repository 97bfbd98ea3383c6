from __future__ import annotations

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.sqlfiles import QUERIES, expand, identifier, literal, sql_files

SQL_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1)


def test_names_are_filled_in() -> None:
    assert expand("SELECT $a, ${b}c", a="1", b="$a") == "SELECT 1, $ac"


@pytest.mark.parametrize("names", [{}, {"a": "1", "b": "2"}, {"b": "1"}])
def test_undefined_and_unused_names_fail(names: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"SQL template: .* undefined or unused"):
        expand("SELECT $a", **names)


@given(SQL_TEXT)
def test_any_text_is_itself_as_a_literal(text: str) -> None:
    assert duckdb.execute(f"SELECT {literal(text)}").fetchall() == [(text,)]


@given(SQL_TEXT)
def test_any_name_can_be_a_column(name: str) -> None:
    duckdb.execute(f"SELECT {identifier(name)} FROM (SELECT 1 AS {identifier(name)})")


def test_numbers_and_nothing_are_literals() -> None:
    assert duckdb.execute(f"SELECT {literal(3)}, {literal(None)}").fetchall() == [(3, None)]


def test_every_sql_file_is_in_a_folder_that_is_loaded() -> None:
    folders = ("tables", "macros", "views", "reports", "known")
    loaded = sum(len(sql_files(folder)) for folder in folders)
    assert loaded == len(list(QUERIES.rglob("*.sql")))


def test_files_load_in_the_order_of_their_numbers_and_lose_them() -> None:
    names = [file.name for file in sql_files("views")]
    assert names[0] == "cell_states"
    assert names.index("cell_suites") < names.index("verdicts") < names.index("suite_scores")
