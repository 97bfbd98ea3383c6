"""Units of finished work: Parquet objects put first, then one index entry, the commit point.

A reader takes exactly the objects that index entries name, so that a unit is there whole or not
at all. Objects are named by what they hold and never replaced: what a killed driver or a lost race
left behind is an orphan, and harmless.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from configs.errors import ConfigError, InfraError
from storage import tables
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
    entry_key = f"{experiment_id}/index/{unit}.json"
    if store.exists(entry_key):
        return None
    entry = {
        "unit": unit,
        "schema_version": tables.SCHEMA_VERSION,
        "tables": {
            table: _put(store, f"{experiment_id}/{table}/{unit}", data, _rows(pieces[table]))
            for table, data in files.items()
        },
        "done": keys,
        "facts": dict(facts or {}),
    }
    text = json.dumps(entry, indent=1, sort_keys=True, allow_nan=False)
    return unit if store.put_if_absent(entry_key, text.encode()) else None


def read_index(store: ObjectStore, experiment_id: str) -> Index:
    """The union of an experiment's index entries; an empty one where there are none."""
    entries = [_read_entry(store, key) for key in store.list(f"{experiment_id}/index/")]
    claims = Counter(key for entry in entries for key in entry["done"])
    repeated = frozenset(key for key, units in claims.items() if units > 1)
    objects: dict[str, list[str]] = {}
    rows: dict[str, int] = {}
    facts: dict[str, Any] = {}
    for entry in entries:
        facts.update(entry["facts"])
        for table, item in entry["tables"].items():
            objects.setdefault(table, []).append(store.object_uri(item["object"]))
            rows[table] = rows.get(table, 0) + item["rows"]
    units = tuple(entry["unit"] for entry in entries)
    return Index(units, frozenset(claims), facts, objects, rows, repeated)


def orphans(store: ObjectStore, experiment_id: str) -> list[str]:
    """Keys of objects that no index entry names: left by a killed driver or a lost race."""
    named = {
        item["object"]
        for key in store.list(f"{experiment_id}/index/")
        for item in _read_entry(store, key)["tables"].values()
    }
    stored = (key for table in tables.NAMES for key in store.list(f"{experiment_id}/{table}/"))
    return [key for key in stored if key not in named]


def _rows(parts: Sequence[pa.Table]) -> int:
    return sum(part.num_rows for part in parts)


def _encode(table: str, parts: Sequence[pa.Table]) -> bytes:
    schema = tables.schema(table)
    whole = pa.concat_tables(sorted((p for p in parts if p.num_rows), key=_first_row))
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
    )
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def _first_row(part: pa.Table) -> tuple[str, ...]:
    """Where a piece goes; its own rows stay in the order they came in, that of the matrix."""
    return tuple(part[name][0].as_py() for name in _ORDER if name in part.column_names)


def _put(store: ObjectStore, stem: str, data: bytes, rows: int) -> dict[str, Any]:
    digest = sha256(data)
    key = f"{stem}-{digest[:12]}.parquet"
    store.put_if_absent(key, data)
    return {"object": key, "rows": rows, "sha256": digest}


def _read_entry(store: ObjectStore, key: str) -> dict[str, Any]:
    try:
        entry: dict[str, Any] = json.loads(store.get(key))
        version = entry["schema_version"]
    except (ValueError, KeyError, TypeError) as error:
        raise InfraError(f"store {store.uri}: {key} is no index entry: {error!r}") from error
    if version != tables.SCHEMA_VERSION:
        raise ConfigError(
            f"store {store.uri}: {key} has schema version {version}, "
            f"this killgrid reads {tables.SCHEMA_VERSION}"
        )
    return entry
