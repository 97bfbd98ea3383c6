"""Index entries: how they are named, read, and which of them count.

A *unit* entry names the objects of one unit. A *pack* entry, made by storage/compaction.py, stands
for all units that it covers. Packs are numbered, each covers what the one before it covered and
more, and only the highest counts: a compactor that lost a race, or was asleep for a day, can add a
pack, but never one that counts a unit twice or leaves one out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from configs.errors import ConfigError, InfraError
from storage import tables
from storage.objects import ObjectStore

Entry = dict[str, Any]

# Entries are small, and an S3 request takes tens of milliseconds however small the object.
READS_AT_ONCE = 16
_PACK = "pack-"


@dataclass(frozen=True)
class Entries:
    """The entries that count: the newest pack, if any, and the units that it does not cover.

    `pack` is that pack's number, 0 for none. `superseded` are the names of all other entries.
    """

    pack: int
    current: tuple[Entry, ...]
    superseded: tuple[str, ...]


def entry_key(experiment_id: str, name: str) -> str:
    """Key of an index entry."""
    return f"{experiment_id}/index/{name}.json"


def pack_name(number: int) -> str:
    """Name of a pack; numbers count from 1."""
    return f"{_PACK}{number:08d}"


def read_entries(store: ObjectStore, experiment_id: str) -> Entries:
    """The entries that count, the pack first, then units by name."""
    keys = store.list(f"{experiment_id}/index/")
    names = [key.rpartition("/")[2].removesuffix(".json") for key in keys]
    packs = sorted(name for name in names if name.startswith(_PACK))
    units = [name for name in names if not name.startswith(_PACK)]
    newest = [read_entry(store, experiment_id, name) for name in packs[-1:]]
    covered = {unit for pack in newest for unit in pack["covers"]}
    rest = (name for name in units if name not in covered)
    current = (*newest, *read_all(store, experiment_id, rest))
    superseded = (*packs[:-1], *(name for name in units if name in covered))
    return Entries(int(packs[-1].removeprefix(_PACK)) if packs else 0, current, superseded)


def read_all(store: ObjectStore, experiment_id: str, names: Iterable[str]) -> Iterator[Entry]:
    """Entries by name, in that order, several requests at a time."""
    with ThreadPoolExecutor(READS_AT_ONCE) as pool:
        yield from pool.map(lambda name: read_entry(store, experiment_id, name), names)


def read_entry(store: ObjectStore, experiment_id: str, name: str) -> Entry:
    """One entry; InfraError when it is none, ConfigError when another killgrid wrote it."""
    key = entry_key(experiment_id, name)
    try:
        entry: Entry = json.loads(store.get(key))
        version = entry["schema_version"]
    except (ValueError, KeyError, TypeError) as error:
        raise InfraError(f"store {store.uri}: {key} is no index entry: {error!r}") from error
    if version != tables.SCHEMA_VERSION:
        raise ConfigError(
            f"store {store.uri}: {key} has schema version {version}, "
            f"this killgrid reads {tables.SCHEMA_VERSION}"
        )
    return entry


def units_of(entry: Entry) -> list[str]:
    """Names of the units that an entry stands for."""
    return list(entry.get("covers", [entry["unit"]]))


def objects_of(entry: Entry) -> Iterator[tuple[str, dict[str, Any]]]:
    """Table, and key, rows and digest of each object that an entry names."""
    for table, found in entry["tables"].items():
        for item in found if isinstance(found, list) else [found]:
            yield table, item


def encode_entry(entry: Entry) -> bytes:
    """The bytes of an entry; ValueError when it holds what is no JSON."""
    return json.dumps(entry, indent=1, sort_keys=True, allow_nan=False).encode()
