"""Whether stores hold the same matrices, and whether anything in them is there twice; by query.

    python -m tests.faults.comparing EXPERIMENT_ID STORE STORE...

Prints JSON; run beside the S3 server. The first store is what the others are compared with.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from storage.database import connect
from storage.objects import ObjectStore, open_store
from storage.s3_address import parse_address
from storage.sqlfiles import expand
from storage.units import orphans, read_index

SQL = Path(__file__).with_name("sql")
# The key of each table, and the columns that may differ from one run to another.
TABLES = {
    "subjects": ("subject_id", ""),
    "mutants": ("subject_id, mutant_id", ""),
    "cells": ("cell_id", "attempts, cpu_s, wall_s"),
    "suites": ("suite_id", "baseline_s"),
    "validations": ("suite_id, environment", "baseline_s"),
    "tests": ("test_id, environment", "duration_s, cpu_s"),
    "executions": ("suite_id, mutant_id, test_id, environment", "duration_s, strategy"),
}
SHOWN = 3


@dataclass(frozen=True)
class Account:
    """What a store holds of an experiment, and what is wrong with it.

    `rows` by table; `duplicates` are rows with a key that another has, `repeated` done keys that
    two units claim, `rewritten` objects of more than one version; `orphans` nobody names. `differs`
    is by table how many rows are not as in the first store, `examples` some of them. `events` are
    counted by kind and first line.
    """

    store: str
    rows: dict[str, int]
    units: int
    objects: int
    duplicates: int
    repeated: int
    rewritten: int | None
    orphans: int
    differs: dict[str, int]
    examples: list[dict[str, Any]]
    events: list[dict[str, Any]]

    @property
    def faults(self) -> list[str]:
        """What must not be; orphans may."""
        found = [f"{count} rows of {table} differ" for table, count in self.differs.items()]
        for what in ("duplicates", "repeated", "rewritten"):
            if getattr(self, what):
                found.append(f"{getattr(self, what)} {what}")
        return found


def account_of(store_uri: str, experiment_id: str, first: dict[str, pa.Table]) -> Account:
    """The account of one store; `first` is filled by the first one, and compared with then."""
    store = open_store(store_uri)
    index = read_index(store, experiment_id)
    with downloaded(store, experiment_id) as copy, connect(copy, experiment_id) as database:
        connection = database.connection
        mine = {table: database.query(f"FROM {table}").table() for table in TABLES}
        events = _ask(connection, "events")
        duplicates = sum(
            len(_ask(connection, "duplicates", table=table, key=key))
            for table, (key, _) in TABLES.items()
        )
    if not first:
        first.update(mine)
    differs, examples = _differences(first, mine)
    return Account(
        store=store_uri,
        rows={table: rows.num_rows for table, rows in mine.items()},
        units=len(index.units),
        objects=sum(map(len, index.objects.values())),
        duplicates=duplicates,
        repeated=len(index.repeated),
        rewritten=_rewritten(store_uri),
        orphans=len(orphans(store, experiment_id)),
        differs=differs,
        examples=examples,
        events=events,
    )


@contextmanager
def downloaded(store: ObjectStore, experiment_id: str) -> Iterator[str]:
    """A copy of an experiment in a folder, whatever kind of store it is in."""
    with tempfile.TemporaryDirectory() as folder:
        copy = open_store(folder)
        for key in store.list(f"{experiment_id}/"):
            copy.put_if_absent(key, store.get(key))
        yield folder


def _differences(
    before: dict[str, pa.Table], after: dict[str, pa.Table]
) -> tuple[dict[str, int], list[dict[str, Any]]]:
    connection, counts, examples = duckdb.connect(), {}, []
    for table, (_, free) in TABLES.items():
        connection.register(f"before_{table}", _plain(before[table]))
        connection.register(f"after_{table}", _plain(after[table]))
        rows = _ask(connection, "differing", table=table, free=free or "experiment_id")
        if rows:
            counts[table] = len(rows)
            examples += rows[:SHOWN]
    return counts, examples


def _plain(table: pa.Table) -> pa.Table:
    """Each text as text, whatever codes a file has for it."""
    fields = [
        field.with_type(field.type.value_type if pa.types.is_dictionary(field.type) else field.type)
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def _ask(connection: Any, name: str, **names: str) -> list[dict[str, Any]]:
    text = expand((SQL / f"{name}.sql").read_text(), **names)
    rows: list[dict[str, Any]] = connection.sql(text).to_arrow_table().to_pylist()
    return rows


def _rewritten(store_uri: str) -> int | None:
    """Objects of which a bucket that keeps all versions has several; None for a folder."""
    if not store_uri.startswith("s3://"):
        return None
    import boto3

    address = parse_address(store_uri)
    client = boto3.client("s3", endpoint_url=address.endpoint_url, region_name=address.region)
    pages = client.get_paginator("list_object_versions").paginate(
        Bucket=address.bucket, Prefix=address.prefix
    )
    versions = Counter(
        each["Key"]
        for page in pages
        for kind in ("Versions", "DeleteMarkers")
        for each in page.get(kind, ())
    )
    if not versions:
        raise RuntimeError(f"{store_uri}: the bucket tells no versions")
    return sum(count > 1 for count in versions.values())


def main() -> None:
    experiment_id, *stores = sys.argv[1:]
    first: dict[str, pa.Table] = {}
    accounts = [account_of(store, experiment_id, first) for store in stores]
    told = [asdict(account) | {"faults": account.faults} for account in accounts]
    print(json.dumps(told, default=str))


if __name__ == "__main__":
    main()
