from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from configs.errors import ConfigError, InfraError, NotFoundError
from storage import rows as make
from storage.database import connect, views_sql
from storage.tables import NAMES, schema
from tests.storage.stores import Lab, mutant, subject

ALPHA, BETA = subject("alpha"), subject("beta")
TYPES = "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = $table"


def filled(root: Path, experiment_id: str = "exp-00000000") -> Lab:
    lab = Lab(root, experiment_id)
    lab.subject(ALPHA, [mutant(ALPHA, "m1"), mutant(ALPHA, "m2")])
    lab.cell(ALPHA, "strong", "kk", {"m1": "F.", "m2": ".F"})
    lab.event("lost", "node went away")
    return lab


def test_a_store_without_experiments_has_every_table_and_no_rows(tmp_path: Path) -> None:
    with connect(str(tmp_path)) as database:
        for name in (*NAMES, "experiments", "verdicts", "suite_scores"):
            assert database.query(f"FROM {name}").rows() == []


def test_an_experiment_that_only_has_a_manifest_has_no_rows(lab: Lab) -> None:
    with lab.connect() as database:
        assert [row["cells"] for row in database.query("FROM experiments").rows()] == [0]
        assert database.query("FROM executions").rows() == []


def test_tables_have_the_same_columns_and_types_with_rows_and_without(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with filled(tmp_path / "full").connect() as full, connect(str(tmp_path / "empty")) as empty:
        for name in NAMES:
            types = full.query(TYPES, {"table": name}).rows()
            assert types == empty.query(TYPES, {"table": name}).rows()
            assert [row["column_name"] for row in types] == schema(name).names


def test_rows_come_back_as_the_writer_was_given_them(lab: Lab) -> None:
    made = make.mutant_rows(lab.experiment_id, [mutant(ALPHA, "m1", planted=True)])
    lab.commit(mutants=made)
    assert lab.sql("FROM mutants") == made.to_pylist()


def test_only_indexed_objects_are_read(lab: Lab) -> None:
    lab.event("seen")
    (key,) = lab.store.list(f"{lab.experiment_id}/events/")
    lab.store.put_if_absent(f"{lab.experiment_id}/events/unit-lost.parquet", lab.store.get(key))
    assert len(lab.sql("FROM events")) == 1


@pytest.mark.parametrize("name", ["we[i]rd *?", "o'clock", "arm=3", "späße 漢字", "$table"])
def test_a_store_may_lie_under_any_path(tmp_path: Path, name: str) -> None:
    lab = filled(tmp_path / name / "store")
    filled(tmp_path / "weird xx" / "store")
    with lab.connect() as database:
        assert database.query("FROM events").schema.names == schema("events").names
        assert len(database.query("FROM executions").rows()) == 4


def test_a_missing_store_or_experiment_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"^store .*nowhere: there is no such folder$"):
        connect(str(tmp_path / "nowhere"))
    filled(tmp_path / "store").manifest()
    with pytest.raises(NotFoundError, match=r"no experiment exp-0000; did you mean exp-00000000\?"):
        connect(str(tmp_path / "store"), "exp-0000")


def test_experiments_of_one_store_are_asked_apart_or_together(tmp_path: Path) -> None:
    labs = [filled(tmp_path, name) for name in ("exp-1", "exp-2")]
    labs[1].cell(ALPHA, "weak", "kk", {"m1": "..", "m2": ".."})
    for lab in labs:
        lab.manifest()
    scores = "SELECT experiment_id, arm, score FROM suite_scores ORDER BY ALL"
    with connect(str(tmp_path), "exp-1") as one, connect(str(tmp_path)) as both:
        assert one.query("SELECT DISTINCT experiment_id FROM cells").rows() == [
            {"experiment_id": "exp-1"}
        ]
        # The cells of both experiments have the same ids: they must not be taken for each other.
        found = [tuple(row.values()) for row in both.query(scores).rows()]
    assert found == [("exp-1", "strong", 1.0), ("exp-2", "strong", 1.0), ("exp-2", "weak", 0.0)]


def test_any_duckdb_client_can_load_the_views(tmp_path: Path) -> None:
    lab = filled(tmp_path)
    lab.manifest()
    with duckdb.connect() as client:
        client.execute(views_sql(str(tmp_path)))
        assert client.execute("SELECT count(*) FROM kills").fetchall() == [(2,)]
        assert client.execute("SELECT mcnemar_p(0, 5)").fetchall() == [(0.0625,)]
        client.execute(views_sql(str(tmp_path)))


@pytest.mark.parametrize(
    "statement",
    ["SELEC 1", "FROM nothing", "SELECT 'a'::INTEGER", "SELECT $missing", "SELECT error('no')"],
)
def test_a_mistake_in_a_statement_is_one_line(lab: Lab, statement: str) -> None:
    with lab.connect() as database, pytest.raises(ConfigError, match=r"^query failed: [^\n]+$"):
        database.query(statement).rows()


def test_a_mistake_that_shows_late_is_one_line_too(lab: Lab) -> None:
    late = "SELECT CASE WHEN i = 3000000 THEN error('late') ELSE 'x' END FROM range(4000000) t(i)"
    with lab.connect() as database:
        result = database.query(late)
        with pytest.raises(ConfigError, match=r"^query failed: Invalid Input Error: late$"):
            result.table()


def test_a_lost_object_is_trouble_of_the_store(tmp_path: Path) -> None:
    lab = filled(tmp_path)
    with lab.connect() as database:
        (path,) = (tmp_path / lab.experiment_id / "executions").iterdir()
        path.unlink()
        with pytest.raises(InfraError, match=path.stem):
            database.query("SELECT sum(duration_s) FROM executions").rows()


def test_statements_that_return_nothing_have_no_rows(lab: Lab) -> None:
    with lab.connect() as database:
        assert database.query("SET threads = 1").rows() == []
        assert database.query("").rows() == []


def test_several_results_may_be_open_at_once(lab: Lab) -> None:
    with lab.connect() as database:
        many = iter(database.query("SELECT * FROM range(1000000)"))
        next(many)
        assert database.query("SELECT 1 AS one").rows() == [{"one": 1}]
        assert sum(batch.num_rows for batch in many) > 900_000


def test_parameters_are_values_and_never_sql(lab: Lab) -> None:
    lab.event("it's", "'; DROP VIEW events; --")
    with lab.connect() as database:
        found = database.query("FROM events WHERE kind = $kind", {"kind": "it's"}).rows()
        assert database.query("FROM events WHERE kind = $kind", {"kind": "' OR 1=1"}).rows() == []
    assert [row["detail"] for row in found] == ["'; DROP VIEW events; --"]


def test_what_does_not_fit_in_memory_goes_to_a_folder_that_goes_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    (tmp_path / "store").mkdir()
    large = "SELECT md5(i::VARCHAR) AS h FROM range(1000000) t(i) ORDER BY h"
    with connect(str(tmp_path / "store"), memory_limit="40MB", threads=2) as database:
        hashes = database.query(large)
        first = next(iter(hashes))["h"][0].as_py()
        assert first < "0001"
        assert len(list((tmp_path / "tmp").iterdir())) == 1
    assert list((tmp_path / "tmp").iterdir()) == []
