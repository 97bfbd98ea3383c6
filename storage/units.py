"""Units of finished work: Parquet objects put first, then one index entry, the commit point.

A reader takes exactly the objects that index entries name, so that a unit is there whole or not
at all. Objects are named by what they hold and never replaced: what a killed driver or a lost race
left behind is an orphan, and harmless.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from storage import tables
from storage.entries import (
    encode_entry,
    entry_key,
    objects_of,
    read_all,
    read_entries,
    units_of,
)
from storage.objects import ObjectStore
from tasks.records import sha256

# DuckDB reads row groups in parallel and works best with multiples of this many rows.
ROW_GROUP_ROWS = 122_880
# Pieces are put in this order, so that row groups hold neighbours and their statistics prune.
_ORDER = ("subject_id", "cell_id", "suite_id", "mutant_id")


@dataclass(frozen=True)
class Index:
    """All that an experiment's index entries say together.

    `objects` holds what a Parquet reader opens, for each table that has any; `repeated` are done
    keys that more than one unit claims: their rows are stored twice.
    """

    units: tuple[str, ...] = ()
    done: frozenset[str] = frozenset()
    facts: dict[str, Any] = field(default_factory=dict)
    objects: dict[str, list[str]] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    repeated: frozenset[str] = frozenset()


def commit_unit(
    store: ObjectStore,
    experiment_id: str,
    pieces: Mapping[str, Sequence[pa.Table]],
    done: Iterable[str],
    facts: Mapping[str, Any] | None = None,
) -> str | None:
    """Store the pieces of each table and mark the work as done, durably and all at once.

    `pieces` are tables of storage/rows.py by table name; `facts` is whatever JSON a later run of
    the driver wants back. Returns the unit's name, or None when a unit of the same done keys was
    there already and nothing has changed.
    """
    keys = sorted(set(done))
    files = {table: _encode(table, parts) for table, parts in pieces.items() if _rows(parts)}
    named_by = keys or sorted(sha256(data) for data in files.values())
    unit = f"unit-{sha256(chr(10).join(named_by).encode())[:24]}"
    key = entry_key(experiment_id, unit)
    if store.exists(key):
        return None
    entry = {
        "unit": unit,
        "schema_version": tables.SCHEMA_VERSION,
        "tables": {
            table: put_object(store, f"{experiment_id}/{table}/{unit}", data, _rows(pieces[table]))
            for table, data in files.items()
        },
        "done": keys,
        "facts": dict(facts or {}),
    }
    return unit if store.put_if_absent(key, encode_entry(entry)) else None


def read_index(store: ObjectStore, experiment_id: str) -> Index:
    """The union of an experiment's index entries; an empty one where there are none."""
    entries = read_entries(store, experiment_id).current
    claims = Counter(key for entry in entries for key in entry["done"])
    repeated = {key for key, units in claims.items() if units > 1}
    repeated.update(key for entry in entries for key in entry.get("repeated", ()))
    objects: dict[str, list[str]] = {}
    rows: dict[str, int] = {}
    facts: dict[str, Any] = {}
    for entry in entries:
        facts.update(entry["facts"])
        for table, item in objects_of(entry):
            objects.setdefault(table, []).append(store.object_uri(item["object"]))
            rows[table] = rows.get(table, 0) + item["rows"]
    units = tuple(sorted(unit for entry in entries for unit in units_of(entry)))
    return Index(units, frozenset(claims), facts, objects, rows, frozenset(repeated))


def orphans(store: ObjectStore, experiment_id: str) -> list[str]:
    """Keys of objects that no index entry names: left by a killed driver or a lost race.

    Objects of a unit that is being committed at this moment are among them.
    """
    entries = read_entries(store, experiment_id)
    others = read_all(store, experiment_id, entries.superseded)
    named = {item["object"] for e in (*entries.current, *others) for _, item in objects_of(e)}
    stored = (key for table in tables.NAMES for key in store.list(f"{experiment_id}/{table}/"))
    return [key for key in stored if key not in named]


def encode_table(table: str, whole: pa.Table) -> bytes:
    """A table of the store as Parquet; TypeError when it has another schema."""
    schema = tables.schema(table)
    if whole.schema != schema:
        raise TypeError(f"rows of {table} have another schema: build them with storage.building")
    codes = [f.name for f in schema if pa.types.is_dictionary(f.type)]
    sink = pa.BufferOutputStream()
    pq.write_table(
        whole.unify_dictionaries(),
        sink,
        compression="zstd",
        row_group_size=ROW_GROUP_ROWS,
        use_dictionary=codes,
        # With Arrow's own schema in the file, Arrow reads dictionaries back, and prunes no row
        # group by the statistics of a column of those.
        store_schema=False,
    )
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def put_object(store: ObjectStore, stem: str, data: bytes, rows: int) -> dict[str, Any]:
    """Store a Parquet object, named by its content; what an index entry says of it."""
    digest = sha256(data)
    key = f"{stem}-{digest[:12]}.parquet"
    store.put_if_absent(key, data)
    return {"object": key, "rows": rows, "sha256": digest, "bytes": len(data)}


def _rows(parts: Sequence[pa.Table]) -> int:
    return sum(part.num_rows for part in parts)


def _encode(table: str, parts: Sequence[pa.Table]) -> bytes:
    return encode_table(
        table, pa.concat_tables(sorted((p for p in parts if p.num_rows), key=_first_row))
    )


def _first_row(part: pa.Table) -> tuple[str, ...]:
    """Where a piece goes; its own rows stay in the order they came in, that of the matrix."""
    return tuple(part[name][0].as_py() for name in _ORDER if name in part.column_names)
