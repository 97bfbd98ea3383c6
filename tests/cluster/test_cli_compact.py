from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from cluster.cli import main
from storage.objects import LocalStore
from storage.units import read_index
from tests.storage.stores import EXPERIMENT, Lab, mutant, subject


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    lab = Lab(tmp_path)
    one = subject("one")
    lab.subject(one, [mutant(one, "a")])
    for replicate in range(3):
        lab.cell(one, "arm", "k", {"a": "F"}, replicate=replicate)
    lab.manifest()
    return lab


def killgrid(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, arguments)
    return result.exit_code, result.output


def age(store: LocalStore, seconds: float) -> None:
    for key in store.list(""):
        os.utime(store.object_uri(key), (time.time() - seconds,) * 2)


def test_units_are_merged_once(lab: Lab) -> None:
    objects = len([key for key in lab.store.list("") if key.endswith(".parquet")])
    code, text = killgrid("compact", "--store", str(lab.root))
    assert code == 0
    assert text.startswith(
        f"{EXPERIMENT}: {lab.units} index entries and {objects} objects -> 1 and"
    )
    index = read_index(lab.store, EXPERIMENT)
    assert {len(found) for found in index.objects.values()} == {1}
    assert killgrid("compact", "--store", str(lab.root)) == (
        0,
        f"{EXPERIMENT}: nothing to compact\n",
    )


def test_only_what_is_old_is_removed(lab: Lab) -> None:
    store = LocalStore(lab.root)
    killgrid("compact", "--store", str(lab.root))
    _, text = killgrid("compact", "--store", str(lab.root), "--remove-old", "1h")
    assert "0 superseded objects removed" in text
    age(store, 3700)
    before = set(store.list(""))
    _, text = killgrid("compact", "--store", str(lab.root), "--remove-old", "60m")
    gone = before - set(store.list(""))
    objects = {key for key in gone if key.endswith(".parquet")}
    assert f"{len(objects)} superseded objects removed" in text
    assert len(gone - objects) == lab.units
    with lab.connect() as database:
        assert database.query("SELECT count(*) AS n FROM cells").rows() == [{"n": 3}]


@pytest.mark.parametrize(
    ("given", "message"), [("1", "must look like 90m"), ("59m", "at least 1h"), ("0d", "at least")]
)
def test_an_age_is_checked_before_anything_is_done(lab: Lab, given: str, message: str) -> None:
    code, text = killgrid("compact", "--store", str(lab.root), "--remove-old", given)
    assert code == 2
    assert message in text
    assert not [key for key in LocalStore(lab.root).list("") if "pack-" in key]
