"""The store on S3 while requests fail before the server, in it, and on the way back."""

from __future__ import annotations

import random
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from configs.errors import ConfigError, InfraError, NotFoundError
from storage.s3_address import parse_address
from storage.s3_store import S3Store
from tests.storage.faulty_proxy import FAULTS, Traffic

Operation = tuple[str, str, bytes]

KEYS = st.sampled_from(["a/1", "a/2", "b/c/3"])
OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["put", "put", "get", "exists", "list"]), KEYS, st.binary(max_size=9)
    ),
    max_size=15,
)


def opened(uri: str) -> S3Store:
    store = S3Store(parse_address(uri))
    store.persistence.sleep = lambda _: None
    store.persistence.first_patience_s = 60
    return store


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(operations=OPERATIONS, seed=st.integers(0, 10**6))
def test_a_store_does_what_it_says_though_requests_fail(
    through: str, traffic: Traffic, operations: list[Operation], seed: int
) -> None:
    traffic.share, traffic.draw = 0.25, random.Random(seed)
    store, expected = opened(through), dict[str, bytes]()
    folder = uuid.uuid4().hex
    for verb, name, data in operations:
        key = f"{folder}/{name}"
        if verb == "put":
            assert store.put_if_absent(key, data) == (key not in expected)
            expected.setdefault(key, data)
        elif verb == "exists":
            assert store.exists(key) == (key in expected)
        elif verb == "list":
            assert store.list(f"{folder}/") == sorted(expected)
        elif key in expected:
            assert store.get(key) == expected[key]
        else:
            with pytest.raises(NotFoundError):
                store.get(key)


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_outlived_by_racing_writers(
    through: str, traffic: Traffic, fault: str
) -> None:
    store = opened(through)
    traffic.share, traffic.faults = 0.4, (fault,)
    with ThreadPoolExecutor(6) as pool:
        for race in range(8):
            key, values = f"race/{race}", [bytes([number]) * 50 for number in range(6)]
            won = list(pool.map(store.put_if_absent, [key] * 6, values))
            assert won.count(True) == 1
            assert store.get(key) == values[won.index(True)]
    assert traffic.failed[fault] > 20
    # Half of an empty answer is a whole one; all else is asked for again.
    assert store.persistence.retries >= (1 if fault == "cut" else traffic.failed[fault])


def test_a_put_whose_answer_was_lost_counts_as_done(through: str, traffic: Traffic) -> None:
    store = opened(through)
    store.put_if_absent("first", b"")
    traffic.faults, traffic.share = ("lost",), 0.5
    assert all(store.put_if_absent(f"key/{number}", b"same") for number in range(20))
    assert traffic.failed["lost"] > 5
    assert not any(store.put_if_absent(f"key/{number}", b"same") for number in range(20))


def test_large_objects_go_in_parts_and_outlive_faults(through: str, traffic: Traffic) -> None:
    store = opened(through)
    # The least that S3 takes for a part.
    store.part_bytes = 5 * 2**20
    traffic.share, traffic.draw = 0.2, random.Random(3)
    data = random.Random(1).randbytes(11 * 2**20)
    assert store.put_if_absent("large/one", data)
    assert store.get("large/one") == data
    assert not store.put_if_absent("large/one", data[1:])
    assert store.get("large/one") == data
    assert sum(traffic.failed.values()) > 0


def test_racing_uploads_in_parts_have_one_winner(through: str, traffic: Traffic) -> None:
    store = opened(through)
    store.part_bytes = 5 * 2**20
    traffic.share, traffic.faults = 0.2, ("lost", "late")
    values = [bytes([number]) * (6 * 2**20) for number in range(3)]
    with ThreadPoolExecutor(3) as pool:
        won = list(pool.map(store.put_if_absent, ["key"] * 3, values))
    assert won.count(True) == 1
    assert store.get("key") == values[won.index(True)]


def test_trouble_that_lasts_is_trouble_on_our_side(through: str, traffic: Traffic) -> None:
    store = opened(through)
    store.put_if_absent("a", b"")
    store.persistence.patience_s = 0.5
    traffic.share, traffic.faults = 1.0, ("slow_down",)
    with pytest.raises(InfraError, match=r"cannot put b: SlowDown .*times in"):
        store.put_if_absent("b", b"")
    traffic.share = 0.0
    assert store.put_if_absent("b", b"")


def test_an_outage_shorter_than_the_patience_is_waited_out(through: str, traffic: Traffic) -> None:
    store = opened(through)
    store.put_if_absent("a", b"")
    traffic.share, traffic.faults = 1.0, ("reset",)
    waits = []

    def end_after_ten(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 10:
            traffic.share = 0.0

    store.persistence.sleep = end_after_ten
    assert store.put_if_absent("b", b"1")
    # Waits grow, and are drawn anew each time.
    assert len(waits) == 10
    assert len(set(waits)) == 10
    assert max(waits[5:]) > max(waits[:2])


def test_a_server_that_ignores_the_condition_is_refused(through: str) -> None:
    store = opened(through)
    put = store.bucket.put
    store.bucket.put = lambda name, data, marks: (  # type: ignore[method-assign]
        store.bucket.remove([name]),
        put(name, data, marks),
    )[1]
    with pytest.raises(ConfigError, match="ignores If-None-Match"):
        store.put_if_absent("a", b"")
    assert store.list("") == []
