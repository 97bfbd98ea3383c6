"""Builds a table of the store from columns of Python values, escaping text where it must."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from storage.tables import CODE, COLUMNS, TEXT, schema
from storage.text import escape


def build(table: str, columns: Mapping[str, Any], rows: int) -> pa.Table:
    """A table from columns: a sequence of `rows` values, or one value for all of them.

    Every column of the schema but `escaped` must be given, and nothing else. Text that UTF-8 cannot
    carry is escaped here, whatever the column.
    """
    expected = COLUMNS[table]
    if wrong := set(columns) ^ (set(expected) - {"escaped"}):
        raise TypeError(f"columns of {table}: {', '.join(sorted(wrong))} unknown or missing")
    marks: dict[int, list[str]] = {}
    arrays = {
        name: _array(name, columns[name], expected[name], rows, marks)
        for name in expected
        if name != "escaped"
    }
    flags = [",".join(marks[row]) if row in marks else "" for row in range(rows)] if marks else ""
    arrays["escaped"] = _array("escaped", flags, CODE, rows, {})
    return pa.table(arrays, schema=schema(table))


def _array(
    name: str, values: Any, kind: pa.DataType, rows: int, marks: dict[int, list[str]]
) -> pa.Array:
    if not isinstance(values, Sequence) or isinstance(values, str):
        return _constant(name, values, kind, rows, marks)
    if len(values) != rows:
        raise ValueError(f"column {name} has {len(values)} values for {rows} rows")
    if kind == CODE:
        return _coded(name, values, marks)
    try:
        return pa.array(values, type=kind)
    except UnicodeEncodeError:
        return pa.array(_escaped(name, values, marks), type=kind)


def _constant(
    name: str, value: Any, kind: pa.DataType, rows: int, marks: dict[int, list[str]]
) -> pa.Array:
    if kind == CODE:
        codes = pa.array([0], type=pa.int32())
        one = pa.DictionaryArray.from_arrays(codes, _array(name, [value], TEXT, 1, marks))
    else:
        one = _array(name, [value], kind, 1, marks)
    if marks.get(0, [])[-1:] == [name]:
        for row in range(1, rows):
            marks.setdefault(row, []).append(name)
    return one.take(pa.repeat(pa.scalar(0, pa.int32()), rows))


def _coded(name: str, values: Sequence[Any], marks: dict[int, list[str]]) -> pa.Array:
    codes: dict[Any, int] = {}
    indices = [None if v is None else codes.setdefault(v, len(codes)) for v in values]
    texts = list(codes)
    try:
        dictionary = pa.array(texts, type=TEXT)
    except UnicodeEncodeError:
        _escaped(name, values, marks)
        dictionary = pa.array([escape(text)[0] for text in texts], type=TEXT)
    return pa.DictionaryArray.from_arrays(pa.array(indices, type=pa.int32()), dictionary)


def _escaped(name: str, values: Sequence[Any], marks: dict[int, list[str]]) -> list[Any]:
    cleaned = []
    for row, value in enumerate(values):
        clean, changed = _clean(value)
        cleaned.append(clean)
        if changed:
            marks.setdefault(row, []).append(name)
    return cleaned


def _clean(value: Any) -> tuple[Any, bool]:
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, (list, tuple)):
        # One flag for the whole list, so all of its texts are escaped or none.
        odd = any(escape(text)[1] for text in value)
        return [escape(text, force=odd)[0] for text in value], odd
    return value, False
