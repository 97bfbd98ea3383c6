"""What every kind of store keeps: the same tests for a folder and for two S3 servers."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from configs.errors import NotFoundError
from storage.objects import ObjectStore, open_store
from tests.storage.s3_servers import make_bucket

KINDS = ["folder", "moto", pytest.param("ceph", marks=pytest.mark.slow)]


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ObjectStore]:
    if request.param == "folder":
        yield open_store(str(tmp_path / "store"))
    else:
        yield open_store(make_bucket(request.getfixturevalue(request.param)))


def test_an_object_comes_back_as_it_was_put(store: ObjectStore) -> None:
    assert store.put_if_absent("a/b.bin", b"\x00\xff")
    assert store.get("a/b.bin") == b"\x00\xff"
    assert store.exists("a/b.bin")


def test_an_empty_object_is_an_object(store: ObjectStore) -> None:
    assert store.put_if_absent("a/empty", b"")
    assert store.get("a/empty") == b""
    assert store.list("") == ["a/empty"]


def test_a_taken_key_keeps_its_object(store: ObjectStore) -> None:
    store.put_if_absent("key", b"first")
    assert not store.put_if_absent("key", b"second")
    assert not store.put_if_absent("key", b"first")
    assert store.get("key") == b"first"


def test_one_of_many_writers_of_a_key_wins(store: ObjectStore) -> None:
    values = [str(number).encode() * 10_000 for number in range(8)]
    for race in range(5):
        with ThreadPoolExecutor(8) as pool:
            won = list(pool.map(lambda value: store.put_if_absent(f"key{race}", value), values))  # noqa: B023
        assert won.count(True) == 1
        assert store.get(f"key{race}") == values[won.index(True)]


def test_writers_of_the_same_bytes_have_one_winner_too(store: ObjectStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(lambda _: store.put_if_absent("key", b"same"), range(8)))
    assert won.count(True) == 1


def test_a_missing_object_is_named(store: ObjectStore) -> None:
    with pytest.raises(NotFoundError, match="no object a/b"):
        store.get("a/b")
    assert not store.exists("a/b")


def test_listings_are_sorted_and_go_all_the_way_down(store: ObjectStore) -> None:
    for key in ("x/b/2", "x/a", "y/c", "x/b/1", "x-y/d"):
        store.put_if_absent(key, b"")
    assert store.list("x/") == ["x/a", "x/b/1", "x/b/2"]
    assert store.list("") == ["x-y/d", "x/a", "x/b/1", "x/b/2", "y/c"]
    assert store.list("nothing/") == []
    assert store.folders() == ["x", "x-y", "y"]
    assert store.folders("x/") == ["b"]


def test_a_listing_of_many_objects_is_whole(store: ObjectStore) -> None:
    keys = [f"many/{number:04d}" for number in range(1_100)]
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda key: store.put_if_absent(key, b""), keys))
    assert store.list("many/") == keys


@pytest.mark.parametrize("key", ["a b/c+d", "ü/ж%20", "a&b=c/d?e", "a/(b)[c]*'\""])
def test_odd_names_are_names(store: ObjectStore, key: str) -> None:
    assert store.put_if_absent(key, key.encode())
    assert store.get(key) == key.encode()
    assert store.list("") == [key]
    assert not store.put_if_absent(key, b"")


def test_objects_have_an_age(store: ObjectStore) -> None:
    store.put_if_absent("x/a", b"")
    (age,) = store.ages("x/").values()
    # Some servers know whole seconds only.
    assert -2 < age < 60


def test_what_is_removed_is_gone_and_its_key_is_free(store: ObjectStore) -> None:
    store.put_if_absent("x/a", b"1")
    store.put_if_absent("x/b", b"2")
    store.remove(["x/a", "x/never"])
    assert store.list("") == ["x/b"]
    assert store.put_if_absent("x/a", b"3")
    assert store.get("x/a") == b"3"


@pytest.mark.parametrize("key", ["", "/etc/passwd", "../up", "a/../b", "a//b", ".hidden", "a/"])
def test_what_is_no_key_is_refused(store: ObjectStore, key: str) -> None:
    with pytest.raises(ValueError, match="not a key"):
        store.put_if_absent(key, b"")


def test_a_prefix_ends_with_a_slash(store: ObjectStore) -> None:
    with pytest.raises(ValueError, match="prefix"):
        store.list("x")


def test_the_uri_opens_the_same_store(store: ObjectStore) -> None:
    store.put_if_absent("x/a", b"1")
    again = open_store(store.uri, must_exist=True)
    assert again.get("x/a") == b"1"
    assert again.uri == store.uri
