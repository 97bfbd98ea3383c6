"""Compaction: few large objects and one index entry in place of many small ones.

A pack stands for all units stored so far (storage/entries.py says which packs count). Its objects
are put first and its entry last, so that a reader sees the units or the pack and never a part.
What a pack stands for stays where it is, for readers that began before, until `remove_superseded`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from storage import tables
from storage.entries import (
    READS_AT_ONCE,
    Entries,
    Entry,
    encode_entry,
    entry_key,
    objects_of,
    pack_name,
    read_all,
    read_entries,
    units_of,
)
from storage.objects import ObjectStore
from storage.units import ROW_GROUP_ROWS, encode_table, orphans, put_object

# Objects of a pack have so many rows, or fewer that take so many bytes of memory.
TARGET_ROWS = 12 * ROW_GROUP_ROWS
TARGET_BYTES = 128 * 2**20
# An object of half the size is left as it is.
ENOUGH = 0.5
# So many rows are sorted together; more would not fit into a small driver's memory.
SORTED_ROWS = 4 * TARGET_ROWS
_ORDER = ("subject_id", "cell_id", "suite_id")

Item = dict[str, Any]


@dataclass(frozen=True)
class Compaction:
    """What a compaction found and left: counts of index entries and of objects, and rows moved."""

    pack: str
    entries: int
    objects_before: int
    objects_after: int
    rows: int


@dataclass(frozen=True)
class Pending:
    """A pack whose objects are stored and whose entry is not."""

    number: int
    entry: Entry
    result: Compaction


def compact(store: ObjectStore, experiment_id: str, at_least: int = 2) -> Compaction | None:
    """Make a pack of all that is stored; None when there are fewer than `at_least` entries.

    None as well when another compaction came first: then that one's pack counts.
    """
    entries = read_entries(store, experiment_id)
    if len(entries.current) < max(at_least, 2):
        return None
    return commit(store, experiment_id, prepare(store, experiment_id, entries))


def prepare(store: ObjectStore, experiment_id: str, entries: Entries) -> Pending:
    """Store the objects of a pack of the current entries."""
    before: dict[str, list[Item]] = {}
    for entry in entries.current:
        for table, item in objects_of(entry):
            before.setdefault(table, []).append(item)
    name, moved = pack_name(entries.pack + 1), 0
    after: dict[str, list[Item]] = {}
    for table, items in sorted(before.items()):
        small = [item for item in items if not _large(item)]
        kept = [item for item in items if _large(item)]
        if len(small) > 1:
            moved += sum(item["rows"] for item in small)
            small = list(_merged(store, f"{experiment_id}/{table}/{name}", table, small))
        after[table] = kept + small
    result = Compaction(name, len(entries.current), _count(before), _count(after), moved)
    return Pending(entries.pack + 1, _entry(name, entries.current, after), result)


def commit(store: ObjectStore, experiment_id: str, pending: Pending) -> Compaction | None:
    """Make a pack count; None when another of its number is there already."""
    key = entry_key(experiment_id, pack_name(pending.number))
    done = store.put_if_absent(key, encode_entry(pending.entry))
    return pending.result if done else None


def remove_superseded(store: ObjectStore, experiment_id: str, older_than_s: float) -> int:
    """Remove entries and objects that a pack of that age stands for; how many objects.

    The age is that of the pack: readers that began before it was there may still use the others.
    """
    ages = store.ages(f"{experiment_id}/index/")
    entries = read_entries(store, experiment_id)
    packs = sorted(n for n in (*entries.superseded, *_names(entries.current)) if _is_pack(n))
    old = [name for name in packs if ages.get(entry_key(experiment_id, name), 0) >= older_than_s]
    if not old:
        return 0
    known = {e["unit"]: e for e in read_all(store, experiment_id, [*old[-1:], *entries.superseded])}
    known.update((entry["unit"], entry) for entry in entries.current)
    covered = set(known[old[-1]]["covers"])
    gone = [name for name in entries.superseded if name in covered or name in old[:-1]]
    named = {name: {item["object"] for _, item in objects_of(e)} for name, e in known.items()}
    needed = set[str]().union(*(keys for name, keys in named.items() if name not in gone))
    removed = set[str]().union(*(named[name] for name in gone)) - needed
    removed.update(_leftovers(store, experiment_id, old[-1]))
    # Entries last: one that is left without objects is superseded, and removed the next time.
    store.remove(sorted(removed))
    store.remove([entry_key(experiment_id, name) for name in gone])
    return len(removed)


def _leftovers(store: ObjectStore, experiment_id: str, newest: str) -> Iterator[str]:
    """Objects of compactions that lost a race for a number up to that of a pack."""
    for key in orphans(store, experiment_id):
        name = key.rpartition("/")[2].rpartition("-")[0]
        if _is_pack(name) and name <= newest:
            yield key


def _entry(name: str, entries: Iterable[Entry], objects: dict[str, list[Item]]) -> Entry:
    entries = list(entries)
    claims = Counter(key for entry in entries for key in entry["done"])
    repeated = {key for key, count in claims.items() if count > 1}
    facts: dict[str, Any] = {}
    for entry in entries:
        repeated.update(entry.get("repeated", ()))
        facts.update(entry["facts"])
    return {
        "unit": name,
        "schema_version": tables.SCHEMA_VERSION,
        "covers": sorted(unit for entry in entries for unit in units_of(entry)),
        "tables": objects,
        "done": sorted(claims),
        "repeated": sorted(repeated),
        "facts": facts,
    }


def _merged(store: ObjectStore, stem: str, table: str, items: list[Item]) -> Iterator[Item]:
    for some in _batches(items):
        with ThreadPoolExecutor(READS_AT_ONCE) as pool:
            parts = list(pool.map(lambda item: _read(store, table, item), some))
        whole = _sorted(pa.concat_tables(parts).unify_dictionaries())
        del parts
        rows = _rows_each(whole)
        for first in range(0, whole.num_rows, rows):
            part = _narrowed(whole.slice(first, rows))
            yield put_object(store, stem, encode_table(table, part), part.num_rows)


def _read(store: ObjectStore, table: str, item: Item) -> pa.Table:
    schema = tables.schema(table)
    codes = [field.name for field in schema if pa.types.is_dictionary(field.type)]
    data = pa.BufferReader(store.get(item["object"]))
    return pq.read_table(data, read_dictionary=codes).cast(schema)


def _sorted(whole: pa.Table) -> pa.Table:
    keys = {name: _ranks(whole[name]) for name in _ORDER if name in whole.column_names}
    if not keys:
        return whole
    # Within a suite rows stay in the order they came in, that of the matrix.
    keys["row"] = pa.array(range(whole.num_rows), pa.int32())
    order = pc.sort_indices(pa.table(keys), sort_keys=[(name, "ascending") for name in keys])
    return whole.take(order)


def _ranks(column: pa.ChunkedArray) -> pa.Array:
    """What sorts like the column and takes few bytes."""
    codes = column.combine_chunks()
    if not pa.types.is_dictionary(codes.type):
        codes = codes.dictionary_encode()
    # The inverse of the permutation that sorts the texts.
    ranks = pc.sort_indices(pc.sort_indices(codes.dictionary))
    return ranks.take(codes.indices)


def _narrowed(part: pa.Table) -> pa.Table:
    """The same rows; dictionaries hold only the texts that are in them."""
    columns = [
        _used(column.combine_chunks()) if pa.types.is_dictionary(column.type) else column
        for column in part.columns
    ]
    return pa.Table.from_arrays(columns, schema=part.schema)


def _used(codes: pa.DictionaryArray) -> pa.DictionaryArray:
    used = pc.unique(codes.indices).drop_null()
    return pa.DictionaryArray.from_arrays(
        pc.index_in(codes.indices, value_set=used), codes.dictionary.take(used)
    )


def _rows_each(whole: pa.Table) -> int:
    """Rows of an object: the target, in whole row groups, and no object is a small rest."""
    rows, size = int(whole.num_rows), int(whole.nbytes)
    pieces = -(-rows // min(TARGET_ROWS, max(1, TARGET_BYTES * rows // max(size, 1))))
    groups = -(-rows // (pieces * ROW_GROUP_ROWS))
    return max(1, min(groups * ROW_GROUP_ROWS, rows))


def _batches(items: list[Item]) -> Iterator[list[Item]]:
    some: list[Item] = []
    for item in items:
        if some and sum(each["rows"] for each in some) + item["rows"] > SORTED_ROWS:
            yield some
            some = []
        some.append(item)
    yield some


def _large(item: Item) -> bool:
    return bool(
        item["rows"] >= ENOUGH * TARGET_ROWS or item.get("bytes", 0) >= ENOUGH * TARGET_BYTES
    )


def _names(entries: Iterable[Entry]) -> list[str]:
    return [entry["unit"] for entry in entries]


def _is_pack(name: str) -> bool:
    return name.startswith("pack-")


def _count(objects: dict[str, list[Item]]) -> int:
    return sum(map(len, objects.values()))
