"""Writes a result as a table for people, or as CSV, JSON or Parquet, batch by batch."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from configs.errors import ConfigError
from storage.database import Result
from storage.texttable import TextTable

FORMATS = ("table", "csv", "json", "parquet")
# Beyond this a table is no longer read but processed, and the other formats are for that.
TABLE_ROWS = 200


def render(result: Result, form: str, output: Path | None = None) -> None:
    """Write all rows of a result to a file or to standard output.

    A table shows the first 200 rows and, on a terminal, the columns that fit, and says what it
    leaves out; the other formats are complete. ConfigError when the file cannot be written.
    """
    write = _WRITERS[form]
    with _opened(form, output) as stream:
        write(result, stream)
        stream.flush()


def _write_table(result: Result, stream: IO[bytes]) -> None:
    rows: list[list[Any]] = []
    complete = True
    for batch in result:
        rows += _rows(batch, TABLE_ROWS + 1 - len(rows))
        if len(rows) > TABLE_ROWS:
            complete = False
            break
    width = shutil.get_terminal_size().columns if stream.isatty() else None
    table = TextTable(result.schema.names, rows[:TABLE_ROWS], width)
    lines = list(table.lines())
    if not complete:
        lines.append(f"(the first {TABLE_ROWS} rows; csv, json and parquet have all)")
    stream.write("".join(f"{line}\n" for line in lines).encode())


def _write_csv(result: Result, stream: IO[bytes]) -> None:
    schema = pa.schema([(f.name, _flat_type(f.type)) for f in result.schema])
    options = pyarrow.csv.WriteOptions(quoting_style="needed")
    for header, batch in _with_header(result):
        columns = [_flat(column, kind) for column, kind in zip(batch, schema.types, strict=True)]
        sink = io.BytesIO()
        options.include_header = header
        pyarrow.csv.write_csv(pa.RecordBatch.from_arrays(columns, schema=schema), sink, options)
        stream.write(sink.getvalue())


def _write_json(result: Result, stream: IO[bytes]) -> None:
    lead = "[\n"
    for batch in result:
        for row in batch.to_pylist():
            text = json.dumps(_plain(row), ensure_ascii=False, default=str)
            stream.write(f"{lead}{text}".encode())
            lead = ",\n"
    stream.write(b"[]\n" if lead == "[\n" else b"\n]\n")


def _write_parquet(result: Result, stream: IO[bytes]) -> None:
    with pq.ParquetWriter(stream, result.schema, compression="zstd") as writer:
        for batch in result:
            writer.write_batch(batch)


_WRITERS: dict[str, Callable[[Result, IO[bytes]], None]] = {
    "table": _write_table,
    "csv": _write_csv,
    "json": _write_json,
    "parquet": _write_parquet,
}


def _rows(batch: pa.RecordBatch, limit: int) -> list[list[Any]]:
    columns = [column.slice(0, limit).to_pylist() for column in batch]
    return [list(row) for row in zip(*columns, strict=True)]


def _with_header(result: Result) -> Iterator[tuple[bool, pa.RecordBatch]]:
    """Batches, the first of which is to have a header; an empty one when there is none."""
    header = True
    for batch in result:
        yield header, batch
        header = False
    if header:
        yield True, pa.RecordBatch.from_pylist([], schema=result.schema)


def _flat_type(kind: pa.DataType) -> pa.DataType:
    return pa.string() if pa.types.is_nested(kind) else kind


def _flat(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Lists and structs as JSON text, since CSV has no form for them."""
    if column.type == kind:
        return column
    values = (None if value is None else _json(value) for value in column.to_pylist())
    return pa.array(values, type=kind)


def _json(value: Any) -> str:
    return json.dumps(_plain(value), ensure_ascii=False, default=str)


def _plain(value: Any) -> Any:
    """The value as JSON can say it: decimals as numbers, NaN and infinities as null."""
    if isinstance(value, Decimal):
        value = float(value) if value % 1 else int(value)
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


@contextmanager
def _opened(form: str, output: Path | None) -> Iterator[IO[bytes]]:
    if output is None:
        stream = sys.stdout.buffer
        if form == "parquet" and stream.isatty():
            raise ConfigError("parquet is not for a terminal; name a file with --output")
        yield stream
        return
    try:
        with output.open("wb") as file:
            yield file
    except OSError as error:
        raise ConfigError(f"cannot write {output}: {error.strerror or error}") from error
