from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from configs.errors import ConfigError
from storage.database import Result
from storage.render import TABLE_ROWS, _write_csv, _write_json, render
from tests.storage.stores import Lab

STORED_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
MIXED = """
SELECT 1 AS n, 0.5 AS x, 'é漢' AS t, NULL::VARCHAR AS nothing, ['a"', 'b'] AS list,
    {'k': 'nan'::DOUBLE} AS record, TIMESTAMP '2026-11-30 09:00:00' AS time, true AS flag
"""


def result(table: pa.Table) -> Result:
    return Result(table.to_reader(2))


def ask(lab: Lab, text: str, form: str, output: Path) -> bytes:
    with lab.connect() as database:
        render(database.query(text), form, output)
    return output.read_bytes()


def test_json_is_one_array_with_nulls_lists_and_records(lab: Lab, tmp_path: Path) -> None:
    (row,) = json.loads(ask(lab, MIXED, "json", tmp_path / "out"))
    assert row == {
        "n": 1,
        "x": 0.5,
        "t": "é漢",
        "nothing": None,
        "list": ['a"', "b"],
        "record": {"k": None},
        "time": "2026-11-30 09:00:00",
        "flag": True,
    }
    assert json.loads(ask(lab, "SELECT 1 AS a WHERE false", "json", tmp_path / "out")) == []


def test_decimals_are_numbers_in_json(lab: Lab, tmp_path: Path) -> None:
    wide = "SELECT sum(range) AS total, 1.50 AS exact FROM range(4)"
    assert json.loads(ask(lab, wide, "json", tmp_path / "out")) == [{"total": 6, "exact": 1.5}]


def test_csv_has_a_header_and_lists_as_json(lab: Lab, tmp_path: Path) -> None:
    text = ask(lab, MIXED, "csv", tmp_path / "out").decode()
    header, row = csv.reader(io.StringIO(text))
    found = dict(zip(header, row, strict=True))
    assert json.loads(found["list"]) == ['a"', "b"]
    assert (found["n"], found["x"], found["t"], found["nothing"]) == ("1", "0.5", "é漢", "")
    assert ask(lab, "SELECT 1 AS a WHERE false", "csv", tmp_path / "out") == b'"a"\n'


def test_parquet_has_all_rows_and_types(lab: Lab, tmp_path: Path) -> None:
    ask(lab, "SELECT i AS n, i::VARCHAR AS t FROM range(30000) r(i)", "parquet", tmp_path / "out")
    table = pq.read_table(tmp_path / "out")
    assert table.num_rows == 30_000
    assert table.schema.types == [pa.int64(), pa.string()]


def test_a_table_shows_the_first_rows_and_says_that_there_are_more(
    lab: Lab, tmp_path: Path
) -> None:
    text = ask(lab, "SELECT * FROM range(10000)", "table", tmp_path / "out").decode()
    assert len(text.splitlines()) == TABLE_ROWS + 3
    assert text.endswith("rows; csv, json and parquet have all)\n")
    exact = ask(lab, f"SELECT * FROM range({TABLE_ROWS})", "table", tmp_path / "out").decode()
    assert len(exact.splitlines()) == TABLE_ROWS + 2


@given(st.lists(st.tuples(STORED_TEXT, st.none() | st.integers(-9, 9)), max_size=5))
def test_any_text_comes_back_from_csv_and_json(rows: list[tuple[str, int | None]]) -> None:
    texts, numbers = [text for text, _ in rows], [number for _, number in rows]
    table = pa.table({"t": pa.array(texts, pa.string()), "n": pa.array(numbers, pa.int64())})
    stream = io.BytesIO()
    _write_json(result(table), stream)
    assert json.loads(stream.getvalue()) == table.to_pylist()
    stream = io.BytesIO()
    _write_csv(result(table), stream)
    text = io.StringIO(stream.getvalue().decode(), newline="")
    header, *found = csv.reader(text)
    assert header == ["t", "n"]
    assert found == [[text, "" if number is None else str(number)] for text, number in rows]


def test_output_goes_to_standard_output_without_a_file(
    lab: Lab, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    with lab.connect() as database:
        render(database.query("SELECT 'é' AS t"), "table")
    assert capfdbinary.readouterr().out.decode() == "t\n─\né\n"


def test_a_file_that_cannot_be_written_is_named(lab: Lab, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot write .*out: No such file"):
        ask(lab, "SELECT 1", "csv", tmp_path / "nowhere" / "out")
