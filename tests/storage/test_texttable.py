from __future__ import annotations

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from storage.texttable import CELL_WIDTH, TextTable, printable
from tests.storage.test_text import ANY_TEXT


def test_text_is_on_the_left_and_numbers_on_the_right() -> None:
    table = TextTable(["arm", "score", "n"], [["strong", 0.91666, 12], ["weak", None, 3]])
    assert list(table.lines()) == [
        "arm      score   n",
        "──────  ──────  ──",
        "strong  0.9167  12",
        "weak             3",
    ]


def test_columns_that_do_not_fit_are_named() -> None:
    table = TextTable(["one", "two", "three"], [["a" * 10, "b" * 10, "c" * 10]], 24)
    lines = list(table.lines())
    assert lines[-1] == "(columns that do not fit: three)"
    assert lines[2] == "aaaaaaaaaa  bbbbbbbbbb"
    assert list(TextTable(["one"], [["a" * 30]], 10).lines())[2] == "a" * 30


def test_a_table_without_rows_says_so() -> None:
    assert list(TextTable(["a", "b"], []).lines()) == ["a  b", "─  ─", "(no rows)"]
    assert list(TextTable([], []).lines()) == []


def test_values_of_every_kind_are_readable() -> None:
    row = [True, None, ["a", "b"], datetime(2026, 11, 30, 9, 5), 123456.789, 1.5e-9, 1e300]
    table = TextTable([str(place) for place in range(7)], [row])
    assert table.cells[0] == [
        "true",
        "",
        "a, b",
        "2026-11-30 09:05:00",
        "123456.8",
        "1.5e-09",
        "1e+300",
    ]


def test_long_cells_are_cut() -> None:
    table = TextTable(["message"], [["x" * 500 + "\ny"]])
    assert table.cells == [["x" * (CELL_WIDTH - 1) + "…"]]


def test_diffs_are_shown_whole_below_their_row() -> None:
    long = "+" + "new" * 50
    table = TextTable(
        ["mutant", "diff", "n"], [["m1", f"-old\x1b\n{long}\n", 1], ["m2", None, 2]], 12
    )
    assert list(table.lines()) == [
        "mutant  n",
        "──────  ─",
        "m1      1",
        r"    -old\x1b",
        f"    {long}",
        "m2      2",
    ]


def test_diffs_without_other_columns_are_a_column() -> None:
    assert list(TextTable(["diff"], [["-a\n"]]).lines()) == ["diff", "────", r"-a\n"]


def test_what_a_terminal_would_act_on_is_shown_instead() -> None:
    assert printable("a\nb\t\x1b[31m\u202eÜ漢\udcff") == r"a\nb\t\x1b[31m\u202eÜ漢\udcff"


@given(st.lists(st.lists(ANY_TEXT, min_size=2, max_size=2), max_size=5))
def test_any_text_keeps_the_table_in_shape(rows: list[list[str]]) -> None:
    lines = list(TextTable(["nodeid", "n"], [[text, 1] for text, _ in rows]).lines())
    "\n".join(lines).encode()
    assert len(lines) == max(3, len(rows) + 2)
    if rows:
        assert len({cell_len(line) for line in lines}) == 1
