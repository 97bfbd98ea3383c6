from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from storage.units import read_index
from tests.faults.comparing import Account, account_of
from tests.storage.stores import EXPERIMENT, Lab, mutant, subject

ALPHA = subject()


def lab_of(folder: Path, marks: str = "F.", seconds: float = 0.5) -> Lab:
    lab = Lab(folder)
    lab.subject(ALPHA, [mutant(ALPHA, "m1"), mutant(ALPHA, "m2")])
    lab.cell(ALPHA, "arm", "kk", {"m1": marks, "m2": ".F"})
    lab.manifest()
    return lab


def accounts(*labs: Lab) -> list[Account]:
    first: dict[str, pa.Table] = {}
    return [account_of(str(lab.root), EXPERIMENT, first) for lab in labs]


def test_equal_stores_have_no_faults(tmp_path: Path) -> None:
    one, two = accounts(lab_of(tmp_path / "a"), lab_of(tmp_path / "b"))
    assert one.faults == two.faults == []
    assert one.rows["executions"] == 4
    assert (two.orphans, two.differs, two.examples) == (0, {}, [])


def test_one_other_outcome_is_found_from_both_sides(tmp_path: Path) -> None:
    _, other = accounts(lab_of(tmp_path / "a"), lab_of(tmp_path / "b", marks="T."))
    assert other.differs == {"executions": 2}
    assert {row["outcome"] for row in other.examples} == {"failed", "timeout"}
    assert other.faults == ["2 rows of executions differ"]


def test_a_matrix_that_is_there_twice_is_found(tmp_path: Path) -> None:
    twice = lab_of(tmp_path / "b")
    twice.commit(["again"], executions=_executions(twice))
    _, found = accounts(lab_of(tmp_path / "a"), twice)
    assert found.duplicates == 4
    assert found.differs == {"executions": 4}


def test_work_that_two_units_claim_is_found(tmp_path: Path) -> None:
    lab = lab_of(tmp_path / "a")
    lab.commit(["shared", "one"], executions=_executions(lab).slice(0, 0))
    lab.commit(["shared", "two"], executions=_executions(lab).slice(0, 0))
    (found,) = accounts(lab)
    assert found.faults == ["1 repeated"]


def test_an_object_that_nobody_names_is_counted_and_no_fault(tmp_path: Path) -> None:
    lab = lab_of(tmp_path / "a")
    lab.store.put_if_absent(f"{EXPERIMENT}/executions/unit-lost-0.parquet", b"left behind")
    (found,) = accounts(lab)
    assert (found.orphans, found.faults) == (1, [])


def test_what_went_wrong_is_counted_without_the_steps_it_went_wrong_in(tmp_path: Path) -> None:
    lab = lab_of(tmp_path / "a")
    for shard in (1, 2):
        lab.event("attempt_lost", f"shard {shard}/2, attempt 1: node gone\nand much more")
    lab.event("rechecked", "m1")
    (found,) = accounts(lab)
    assert found.events == [{"kind": "attempt_lost", "words": "attempt 1: node gone", "n": 2}]


def test_an_object_that_is_overwritten_is_found(
    moto: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import boto3

    client = boto3.client("s3", endpoint_url=moto, region_name="us-east-1")
    client.create_bucket(Bucket="versions")
    kept = {"Status": "Enabled"}
    client.put_bucket_versioning(Bucket="versions", VersioningConfiguration=kept)
    lab = lab_of(tmp_path / "a")
    for key in lab.store.list(""):
        client.put_object(Bucket="versions", Key=f"in/{key}", Body=lab.store.get(key))
    uri = f"s3://versions/in?endpoint_url={moto}&region=us-east-1"
    assert account_of(uri, EXPERIMENT, {}).rewritten == 0
    (first,) = read_index(lab.store, EXPERIMENT).objects["cells"]
    key = Path(first).relative_to(lab.root).as_posix()
    client.put_object(Bucket="versions", Key=f"in/{key}", Body=lab.store.get(key))
    assert account_of(uri, EXPERIMENT, {}).faults == ["1 rewritten"]


def _executions(lab: Lab) -> pa.Table:
    from storage import tables

    with lab.connect() as database:
        found = database.query("FROM executions").table()
    return found.cast(tables.schema("executions"))
