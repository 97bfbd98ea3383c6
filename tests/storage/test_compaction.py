from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from configs.errors import NotFoundError
from storage import compaction
from storage import rows as make
from storage.compaction import commit, compact, prepare, remove_superseded
from storage.entries import read_entries
from storage.objects import LocalStore, ObjectStore, open_store
from storage.units import Index, commit_unit, orphans, read_index
from tasks.results import Event
from tests.storage.s3_servers import make_bucket
from tests.storage.stores import Lab, matrix_row, mutant, subject, suite, validation


@pytest.fixture(params=["folder", "moto"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    if request.param == "folder":
        return open_store(str(tmp_path))
    return open_store(make_bucket(request.getfixturevalue("moto")))


def unit(store: ObjectStore, name: str, rows: int = 1) -> None:
    """A unit with one done key, one fact and rows that bear its name."""
    events = [Event(1.8e9, "kind", name) for _ in range(rows)]
    commit_unit(store, "exp", {"events": [make.event_rows("exp", events)]}, [name], {name: rows})


def details(store: ObjectStore, index: Index) -> Counter[str]:
    root = store.object_uri("x")[:-1]
    parts = [
        pq.read_table(pa.BufferReader(store.get(uri.removeprefix(root))))
        for uri in index.objects.get("events", [])
    ]
    return Counter(text for part in parts for text in part["detail"].to_pylist())


def test_a_pack_says_what_its_units_said(store: ObjectStore) -> None:
    for name in ("x", "y", "z"):
        unit(store, name, rows=2)
    before = read_index(store, "exp")
    found = compact(store, "exp")
    after = read_index(store, "exp")
    assert found == compaction.Compaction("pack-00000001", 3, 3, 1, 6)
    assert details(store, after) == details(store, before) == {"x": 2, "y": 2, "z": 2}
    assert (after.units, after.done, after.rows) == (before.units, before.done, before.rows)
    assert (after.facts, after.repeated) == (before.facts, before.repeated)
    assert len(after.objects["events"]) == 1
    assert orphans(store, "exp") == []


def test_a_second_pack_covers_the_first_and_what_came_since(store: ObjectStore) -> None:
    unit(store, "x")
    unit(store, "y")
    compact(store, "exp")
    assert compact(store, "exp") is None
    unit(store, "z")
    assert compact(store, "exp") is not None
    index = read_index(store, "exp")
    assert details(store, index) == {"x": 1, "y": 1, "z": 1}
    assert len(index.units) == 3


def test_readers_that_began_before_still_find_their_objects(store: ObjectStore) -> None:
    unit(store, "x")
    unit(store, "y")
    before = read_index(store, "exp")
    compact(store, "exp")
    assert remove_superseded(store, "exp", older_than_s=3600) == 0
    assert details(store, before) == {"x": 1, "y": 1}


def test_what_was_superseded_long_ago_can_be_removed(store: ObjectStore) -> None:
    for name in ("x", "y"):
        unit(store, name)
    compact(store, "exp")
    unit(store, "z")
    assert remove_superseded(store, "exp", older_than_s=-5) == 2
    assert details(store, read_index(store, "exp")) == {"x": 1, "y": 1, "z": 1}
    assert len(store.list("exp/index/")) == len(store.list("exp/events/")) == 2
    assert remove_superseded(store, "exp", older_than_s=-5) == 0


def test_a_unit_that_comes_again_after_its_removal_counts_once(store: ObjectStore) -> None:
    unit(store, "x")
    unit(store, "y")
    compact(store, "exp")
    remove_superseded(store, "exp", older_than_s=-5)
    unit(store, "x")
    assert details(store, read_index(store, "exp")) == {"x": 1, "y": 1}
    assert read_index(store, "exp").repeated == frozenset()


def test_the_loser_of_a_race_changes_nothing_and_can_be_cleared_away(store: ObjectStore) -> None:
    unit(store, "x")
    unit(store, "y")
    slow = prepare(store, "exp", read_entries(store, "exp"))
    unit(store, "z")
    assert compact(store, "exp") is not None
    assert commit(store, "exp", slow) is None
    assert details(store, read_index(store, "exp")) == {"x": 1, "y": 1, "z": 1}
    assert len(orphans(store, "exp")) == 1
    # The objects of three units, and that of the loser.
    assert remove_superseded(store, "exp", older_than_s=-5) == 4
    assert orphans(store, "exp") == []


def test_a_compactor_that_was_asleep_while_all_went_on_does_no_harm(store: ObjectStore) -> None:
    for name in ("x", "y"):
        unit(store, name)
    asleep = prepare(store, "exp", read_entries(store, "exp"))
    for name in ("z", "w"):
        unit(store, name)
        compact(store, "exp")
    remove_superseded(store, "exp", older_than_s=-5)
    # Its number is free again.
    assert commit(store, "exp", asleep) is not None
    assert details(store, read_index(store, "exp")) == dict.fromkeys("wxyz", 1)


def test_an_age_is_that_of_the_pack(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    unit(store, "x")
    unit(store, "y")
    long_ago = time.time() - 7200
    for key in store.list(""):
        os.utime(store.object_uri(key), (long_ago, long_ago))
    compact(store, "exp")
    assert remove_superseded(store, "exp", older_than_s=3600) == 0
    os.utime(store.object_uri("exp/index/pack-00000001.json"), (long_ago, long_ago))
    assert remove_superseded(store, "exp", older_than_s=3600) == 2


def test_done_keys_that_were_claimed_twice_stay_known(store: ObjectStore) -> None:
    commit_unit(store, "exp", {}, ["x", "y"])
    commit_unit(store, "exp", {}, ["y", "z"])
    compact(store, "exp")
    commit_unit(store, "exp", {}, ["z", "w"])
    assert read_index(store, "exp").repeated == {"y", "z"}
    compact(store, "exp")
    assert read_index(store, "exp").repeated == {"y", "z"}


def executions(of: str, arm: str) -> pa.Table:
    rows = [matrix_row(f"mutant-{of}-{number}", "..F") for number in (2, 1)]
    made = suite(subject(of), arm)
    about = (f"cell-{of}-{arm}", made, validation(made, "kkk"))
    return make.execution_rows("exp", *about, "default", rows)


def test_rows_lie_subject_by_subject_and_keep_the_order_of_the_matrix(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    for number, name in enumerate(["two", "one", "three"]):
        commit_unit(store, "exp", {"executions": [executions(name, "a")]}, [str(number)])
    compact(store, "exp")
    (path,) = read_index(store, "exp").objects["executions"]
    found = pq.read_table(path)
    assert found["mutant_id"].to_pylist()[::3] == [
        f"mutant-{name}-{number}" for name in ("one", "three", "two") for number in (2, 1)
    ]
    assert [text[-1] for text in found["test_id"].to_pylist()] == ["0", "1", "2"] * 6


def test_large_tables_make_objects_of_the_target_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "ROW_GROUP_ROWS", 10)
    monkeypatch.setattr(compaction, "TARGET_ROWS", 30)
    monkeypatch.setattr(compaction, "SORTED_ROWS", 120)
    store = LocalStore(tmp_path)
    for number in range(20):
        unit(store, f"unit-{number:02d}", rows=7)
    compact(store, "exp")
    index = read_index(store, "exp")
    sizes = [pq.read_metadata(path).num_rows for path in index.objects["events"]]
    assert sum(sizes) == 140
    assert max(sizes) <= 30
    assert len(sizes) <= 6
    assert details(store, index) == {f"unit-{number:02d}": 7 for number in range(20)}
    unit(store, "late")
    compact(store, "exp")
    kept = set(read_index(store, "exp").objects["events"]) & set(index.objects["events"])
    assert len(kept) >= len(sizes) - 1


def test_questions_have_the_same_answers_after_a_compaction(lab: Lab) -> None:
    one = subject("one")
    lab.subject(one, [mutant(one, "a"), mutant(one, "b")])
    for arm, marks in (("first", "F"), ("second", ".")):
        lab.cell(one, arm, "k", {"a": marks, "b": "F"})

    def answers() -> list[list[str]]:
        return [sorted(map(str, lab.ask(name))) for name in ("mutation_score", "kill_matrix")]

    before = answers()
    assert compact(lab.store, lab.experiment_id) is not None
    assert answers() == before
    assert all(before)


STEPS = st.lists(
    st.sampled_from(["unit", "unit", "again", "look", "take", "prepare", "commit", "remove"]),
    max_size=24,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, order=st.randoms(use_true_random=False))
def test_no_interleaving_of_compactors_counts_a_row_twice_or_loses_one(
    tmp_path_factory: pytest.TempPathFactory, steps: Sequence[str], order: object
) -> None:
    """Compactors look at the index, store objects and commit in any order, beside a writer."""
    store = LocalStore(tmp_path_factory.mktemp("store"))
    names: list[str] = []
    looked, prepared = [], []
    for step in steps:
        if step == "unit":
            names.append(f"unit-{len(names)}")
            unit(store, names[-1])
        elif step == "again" and names:
            unit(store, order.choice(names))  # type: ignore[attr-defined]
        elif step == "look":
            looked.append(read_entries(store, "exp"))
        elif step == "prepare" and looked:
            entries = looked.pop(order.randrange(len(looked)))  # type: ignore[attr-defined]
            # One that slept until what it had seen was removed ends with nothing done.
            with suppress(NotFoundError):
                prepared.append(prepare(store, "exp", entries))
        elif step == "commit" and prepared:
            commit(store, "exp", prepared.pop(order.randrange(len(prepared))))  # type: ignore[attr-defined]
        elif step == "take":
            compact(store, "exp")
        elif step == "remove":
            remove_superseded(store, "exp", older_than_s=-5)
        index = read_index(store, "exp")
        assert details(store, index) == dict.fromkeys(names, 1)
        assert index.done == set(names)
        assert index.facts == dict.fromkeys(names, 1)
        assert len(index.units) == len(names)
