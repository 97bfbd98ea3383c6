"""The SQL that makes tables, macros and views over the objects of a store."""

from __future__ import annotations

import re
from collections.abc import Collection

import pyarrow as pa

from storage import tables
from storage.manifest import Manifest
from storage.sqlfiles import expand, identifier, literal, sql_files
from storage.units import Index

_TYPES = {
    pa.string(): "VARCHAR",
    pa.bool_(): "BOOLEAN",
    pa.int32(): "INTEGER",
    pa.int64(): "BIGINT",
    pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE",
    pa.timestamp("us"): "TIMESTAMP",
    pa.list_(pa.string()): "VARCHAR[]",
}


def views_over(
    manifests: list[Manifest], indexes: list[Index], sources: Collection[str] = ()
) -> str:
    """All SQL; `sources` are names that stand for the objects of a table in place of their list."""
    parts = [_experiments_sql(manifests)]
    parts += [_table_sql(table, indexes, source_name(table) in sources) for table in tables.NAMES]
    parts += [file.text for folder in ("macros", "views") for file in sql_files(folder)]
    return "\n".join(parts)


def source_name(table: str) -> str:
    """The name that stands for a table's objects where a connection has them registered."""
    return f"{table}_on_s3"


def objects_of(table: str, indexes: list[Index]) -> list[str]:
    """What a Parquet reader opens of a table, over all experiments."""
    return [uri for index in indexes for uri in index.objects.get(table, [])]


def _table_sql(table: str, indexes: list[Index], registered: bool = False) -> str:
    templates = {file.name: file.text for file in sql_files("tables")}
    objects = objects_of(table, indexes)
    fields = [(identifier(field.name), _type(field.type)) for field in tables.schema(table)]
    if objects:
        columns = ", ".join(name for name, _ in fields)
        if registered:
            source = source_name(table)
            return expand(templates["registered"], table=table, columns=columns, source=source)
        listed = ",\n    ".join(literal(_no_glob(uri)) for uri in objects)
        return expand(templates["stored"], table=table, columns=columns, objects=listed)
    columns = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in fields)
    return expand(templates["empty"], table=table, columns=columns)


def _experiments_sql(manifests: list[Manifest]) -> str:
    template = next(file.text for file in sql_files("tables") if file.name == "experiments")
    names = ("experiment_id", "experiment", "cells", "created_at", "config_sha256")
    values = [
        [literal(getattr(m, name)) for name in names] + [literal(m.git.get("commit"))]
        for m in manifests
    ]
    # The first row gives the types, whatever follows.
    typed = ["NULL::VARCHAR", "NULL::VARCHAR", "NULL::BIGINT"] + ["NULL::VARCHAR"] * 3
    return expand(template, rows=",\n    ".join(f"({', '.join(row)})" for row in [typed, *values]))


def _type(kind: pa.DataType) -> str:
    return _TYPES[kind.value_type if pa.types.is_dictionary(kind) else kind]


def _no_glob(uri: str) -> str:
    """DuckDB takes any path for a pattern; in brackets a pattern's characters are themselves."""
    return re.sub(r"[\[*?]", lambda match: f"[{match.group()}]", uri)
