from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from configs.errors import ConfigError, InfraError
from storage import rows as make
from storage.objects import LocalStore
from storage.units import Index, commit_unit, orphans, read_index
from tasks.results import Event
from tests.storage.stores import matrix_row, mutant, subject, suite, validation

ONE, TWO = subject("one"), subject("two")


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path)


def events(*details: str) -> pa.Table:
    return make.event_rows("exp", [Event(1.8e9, "kind", detail) for detail in details])


def stored(index: Index, table: str) -> list[dict[str, object]]:
    return [row for path in index.objects[table] for row in pq.read_table(path).to_pylist()]


def test_a_committed_unit_is_found_with_its_rows_done_keys_and_facts(store: LocalStore) -> None:
    unit = commit_unit(store, "exp", {"events": [events("a"), events("b")]}, ["x"], {"n": [1]})
    index = read_index(store, "exp")
    assert index.units == (unit,)
    assert index.done == {"x"}
    assert index.facts == {"n": [1]}
    assert index.rows == {"events": 2}
    assert [row["detail"] for row in stored(index, "events")] == ["a", "b"]


def test_an_experiment_without_units_has_an_empty_index(store: LocalStore) -> None:
    assert read_index(store, "exp") == Index()
    assert orphans(store, "exp") == []


def test_entries_add_up(store: LocalStore) -> None:
    commit_unit(store, "exp", {"events": [events("a")]}, ["x"], {"one": 1})
    commit_unit(store, "exp", {"events": [events("b")]}, ["y", "z"], {"two": 2})
    commit_unit(store, "other", {"events": [events("c")]}, ["w"])
    index = read_index(store, "exp")
    assert index.done == {"x", "y", "z"}
    assert index.facts == {"one": 1, "two": 2}
    assert sorted(str(row["detail"]) for row in stored(index, "events")) == ["a", "b"]
    assert index.repeated == frozenset()


def test_the_same_work_is_committed_once(store: LocalStore) -> None:
    assert commit_unit(store, "exp", {"events": [events("first")]}, ["x", "y"])
    before = read_index(store, "exp")
    assert commit_unit(store, "exp", {"events": [events("second")]}, ["y", "x"]) is None
    assert read_index(store, "exp") == before
    assert orphans(store, "exp") == []


def test_work_that_two_units_claim_is_named(store: LocalStore) -> None:
    commit_unit(store, "exp", {}, ["x", "y"])
    commit_unit(store, "exp", {}, ["y", "z"])
    assert read_index(store, "exp").repeated == {"y"}


def test_rows_without_done_keys_make_a_unit_named_by_its_content(store: LocalStore) -> None:
    first = commit_unit(store, "exp", {"events": [events("a")]}, [])
    assert commit_unit(store, "exp", {"events": [events("a")]}, []) is None
    second = commit_unit(store, "exp", {"events": [events("b")]}, [])
    assert set(read_index(store, "exp").units) == {first, second}


def test_racing_writers_leave_one_unit_whose_objects_are_whole(store: LocalStore) -> None:
    def write(number: int) -> str | None:
        return commit_unit(store, "exp", {"events": [events(str(number))]}, ["x"], {"by": number})

    with ThreadPoolExecutor(8) as pool:
        won = [number for number, unit in enumerate(pool.map(write, range(8))) if unit]
    index = read_index(store, "exp")
    assert len(won) == 1
    assert index.facts == {"by": won[0]}
    assert [row["detail"] for row in stored(index, "events")] == [str(won[0])]


class DyingStore(LocalStore):
    """A store whose writer is killed before it can put the index entry."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        if "/index/" in key:
            raise KeyboardInterrupt
        return super().put_if_absent(key, data)


def test_a_unit_is_invisible_until_its_index_entry_is_there(store: LocalStore) -> None:
    with pytest.raises(KeyboardInterrupt):
        commit_unit(DyingStore(store.root), "exp", {"events": [events("lost")]}, ["x"])
    assert read_index(store, "exp") == Index()
    assert len(orphans(store, "exp")) == 1
    commit_unit(store, "exp", {"events": [events("again")]}, ["x"])
    assert [row["detail"] for row in stored(read_index(store, "exp"), "events")] == ["again"]
    assert len(orphans(store, "exp")) == 1


def test_tables_without_rows_leave_no_object(store: LocalStore) -> None:
    commit_unit(store, "exp", {"events": [events()], "cells": []}, ["x"])
    assert read_index(store, "exp").objects == {}
    assert store.list("exp/events/") == []


def executions(of: Sequence[str], arm: str) -> list[pa.Table]:
    made = []
    for name in of:
        written = suite(subject(name), arm)
        about = (f"cell-{name}", written, validation(written, "kkk"))
        rows = [matrix_row(f"mutant-{name}-{number}", "..F") for number in (2, 1)]
        made.append(make.execution_rows("exp", *about, "default", rows))
    return made


def test_pieces_are_stored_subject_by_subject_and_keep_their_own_order(store: LocalStore) -> None:
    commit_unit(store, "exp", {"executions": executions(["two", "one"], "a")}, ["x"])
    rows = stored(read_index(store, "exp"), "executions")
    assert [row["mutant_id"] for row in rows[::3]] == [
        "mutant-one-2",
        "mutant-one-1",
        "mutant-two-2",
        "mutant-two-1",
    ]
    assert [row["test_id"] for row in rows[:3]] == [f"suite-one-a-0:0000{n}" for n in range(3)]


def test_repeated_text_is_a_dictionary_in_the_file_too(store: LocalStore) -> None:
    commit_unit(store, "exp", {"executions": executions(["one", "two"], "a")}, ["x"])
    (path,) = read_index(store, "exp").objects["executions"]
    group = pq.ParquetFile(path).metadata.row_group(0)
    encodings = {group.column(n).path_in_schema: group.column(n).encodings for n in range(14)}
    assert "RLE_DICTIONARY" in encodings["suite_id"]
    assert "RLE_DICTIONARY" not in encodings["duration_s"]
    assert group.column(0).compression == "ZSTD"


def test_the_same_rows_make_the_same_object(tmp_path: Path) -> None:
    pieces = {"mutants": [make.mutant_rows("exp", [mutant(ONE, "a"), mutant(ONE, "b")])]}
    stores = [LocalStore(tmp_path / name) for name in ("a", "b")]
    for store in stores:
        commit_unit(store, "exp", pieces, ["x"])
    assert stores[0].list("") == stores[1].list("")


def test_rows_of_another_table_are_refused(store: LocalStore) -> None:
    with pytest.raises(TypeError, match="rows of cells"):
        commit_unit(store, "exp", {"cells": [events("a")]}, ["x"])
    assert store.list("") == []


def test_facts_that_are_no_json_are_refused(store: LocalStore) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        commit_unit(store, "exp", {}, ["x"], {"share": float("nan")})
    assert read_index(store, "exp") == Index()


@pytest.mark.parametrize("text", ["", "[]", "{}", "no json"])
def test_a_broken_index_entry_is_named(store: LocalStore, text: str) -> None:
    store.put_if_absent("exp/index/unit-1.json", text.encode())
    with pytest.raises(InfraError, match=r"exp/index/unit-1\.json is no index entry"):
        read_index(store, "exp")


def test_an_entry_of_another_schema_version_is_refused(store: LocalStore) -> None:
    commit_unit(store, "exp", {"events": [events("a")]}, ["x"])
    (key,) = store.list("exp/index/")
    entry = json.loads(store.get(key)) | {"schema_version": 1}
    Path(store.object_uri(key)).write_text(json.dumps(entry))
    with pytest.raises(ConfigError, match="schema version 1, this killgrid reads 3"):
        read_index(store, "exp")
