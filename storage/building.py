"""Builds a table of the store from columns of Python values, escaping text where it must."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
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
    if wrong := columns.keys() ^ (expected.keys() - {"escaped"}):
        raise TypeError(f"columns of {table}: {', '.join(sorted(wrong))} unknown or missing")
    if not rows:
        return _schema(table).empty_table()
    marks: dict[int, list[str]] = {}
    given = ((name, kind) for name, kind in expected.items() if name != "escaped")
    arrays = {name: _array(name, columns[name], kind, rows, marks) for name, kind in given}
    flags = [",".join(marks[row]) if row in marks else "" for row in range(rows)] if marks else ""
    arrays["escaped"] = _array("escaped", flags, CODE, rows, {})
    return pa.Table.from_arrays([arrays[name] for name in expected], schema=_schema(table))


def columns_of(records: Sequence[Any], names: str) -> dict[str, Any]:
    """Columns of the same names as fields of records; `names` are parted by blanks."""
    return {name: [getattr(record, name) for record in records] for name in names.split()}


def instant(seconds: float) -> datetime:
    """Seconds since 1970 as the store has instants: UTC without a zone."""
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)


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
        return pa.DictionaryArray.from_arrays(_zeros(rows), _text(name, value, rows, marks))
    one = _array(name, [value], kind, 1, marks)
    _mark_all(name, rows, marks)
    return one if rows == 1 else one.take(_zeros(rows))


def _text(name: str, value: Any, rows: int, marks: dict[int, list[str]]) -> pa.Array:
    try:
        return _one_text(value)
    except UnicodeEncodeError:
        one = pa.array(_escaped(name, [value], marks), type=TEXT)
        _mark_all(name, rows, marks)
        return one


def _mark_all(name: str, rows: int, marks: dict[int, list[str]]) -> None:
    """What the first row is marked with goes for the others."""
    if marks.get(0, [])[-1:] == [name]:
        for row in range(1, rows):
            marks.setdefault(row, []).append(name)


def _coded(name: str, values: Sequence[Any], marks: dict[int, list[str]]) -> pa.Array:
    try:
        if len(values) == 1 and values[0] is not None:
            return pa.DictionaryArray.from_arrays(_zeros(1), _one_text(values[0]))
        return pa.array(values, type=TEXT).dictionary_encode()
    except UnicodeEncodeError:
        _escaped(name, values, marks)
    codes: dict[Any, int] = {}
    indices = [None if v is None else codes.setdefault(v, len(codes)) for v in values]
    dictionary = pa.array([escape(text)[0] for text in codes], type=TEXT)
    return pa.DictionaryArray.from_arrays(pa.array(indices, type=pa.int32()), dictionary)


def _zeros(count: int) -> pa.Array:
    """Parts of one array: most columns of a run's tables need some, and most tables are small."""
    return _many_zeros(1 << max(10, count.bit_length())).slice(0, count)


@lru_cache(maxsize=1024)
def _one_text(value: str | None) -> pa.Array:
    """Kept, since the same few names stand in many small tables."""
    return pa.array([value], type=TEXT)


@lru_cache
def _many_zeros(count: int) -> pa.Array:
    return pa.repeat(pa.scalar(0, pa.int32()), count)


@lru_cache
def _schema(table: str) -> pa.Schema:
    return schema(table)


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
