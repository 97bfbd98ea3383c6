from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from configs.errors import InfraError
from storage.claims import claim, last_driver
from storage.objects import LocalStore

ID = "made-12345678"


def test_the_driver_that_came_last_may_write(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    assert last_driver(store, ID) == ""
    first = claim(store, ID)
    first.check()
    second = claim(store, ID)
    second.check()
    with pytest.raises(InfraError, match=f"process {os.getpid()} on "):
        first.check()
    assert last_driver(store, ID).startswith(f"process {os.getpid()} on ")


def test_claims_made_at_once_are_all_different_and_one_holds(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        claims = list(pool.map(lambda _: claim(store, ID), range(24)))
    assert sorted(each.number for each in claims) == list(range(1, 25))
    claims[[each.number for each in claims].index(24)].check()


def test_an_experiment_is_nothing_to_another(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    first = claim(store, ID)
    claim(store, "other-12345678")
    first.check()
