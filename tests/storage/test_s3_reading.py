"""Questions to a store on S3: the same answers as from a folder, for few of its bytes."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from benchmarks.query_store import EXPERIMENT, Shape, generate
from configs.errors import InfraError
from storage import tables
from storage.building import build
from storage.compaction import compact
from storage.database import connect
from storage.manifest import new_manifest, write_manifest
from storage.objects import ObjectStore, open_store
from storage.reports import list_reports, run_report
from storage.s3_reading import secret_sql
from storage.s3_store import S3Store
from storage.units import commit_unit, read_index
from tests.storage.faulty_proxy import Traffic
from tests.storage.s3_servers import make_bucket

SMALL = Shape("function", subjects=6, arms=2, tests=4, mutants=5)


def fill(store: ObjectStore, shape: Shape, rows: int) -> None:
    generate(store, rows, {shape: 1.0})


def plain(rows: list[dict[str, Any]]) -> list[str]:
    """Rows whatever their order; sums of numbers depend on theirs in the last digits."""

    def short(value: Any) -> Any:
        return float(f"{value:.9g}") if isinstance(value, float) else value

    return sorted(str({name: short(value) for name, value in row.items()}) for row in rows)


@pytest.mark.parametrize("server", ["moto", pytest.param("ceph", marks=pytest.mark.slow)])
def test_every_report_answers_as_from_a_folder(
    server: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    uri = make_bucket(request.getfixturevalue(server))
    for place in (uri, str(tmp_path)):
        fill(open_store(place), SMALL, 1000)
    with connect(uri) as far, connect(str(tmp_path)) as near:
        for report in list_reports():
            answers = [plain(run_report(each, report.name).rows()) for each in (far, near)]
            assert answers[0] == answers[1], report.name
        assert far.query("SELECT count(*) AS n FROM executions").rows()[0]["n"] > 500


def test_an_empty_experiment_answers_with_empty_tables(moto: str) -> None:
    uri = make_bucket(moto)
    open_store(uri).put_if_absent("notes/readme", b"")
    with connect(uri) as database:
        assert run_report(database, "mutation_score").rows() == []


def fill_executions(store: ObjectStore) -> int:
    """A million rows, subjects in a random order; the bytes of their object once compacted."""
    draw = random.Random(0)
    write_manifest(store, new_manifest("exp", "exp", {}, 0))
    numbers = list(range(40))
    draw.shuffle(numbers)
    constant = dict.fromkeys(tables.COLUMNS["executions"].keys() - {"escaped"}, "x")
    outcomes = ["passed", "failed", "error", "timeout"]
    for number in numbers:
        columns = constant | {
            "subject_id": f"subject-{number:02d}",
            "outcome": draw.choices(outcomes, k=25_000),
            "ordinal": 0,
            "may_kill": True,
            "executed": True,
            "duration_s": [draw.random() for _ in range(25_000)],
        }
        rows = build("executions", columns, 25_000)
        commit_unit(store, "exp", {"executions": [rows]}, [str(number)])
    assert compact(store, "exp") is not None
    (uri,) = read_index(store, "exp").objects["executions"]
    return len(store.get(uri[uri.index("exp/") :]))


def test_only_columns_and_row_groups_of_a_question_are_read(through: str, traffic: Traffic) -> None:
    size = fill_executions(open_store(through))
    with connect(through) as database:

        def asked(what: str, condition: str = "true") -> tuple[int, float]:
            """Rows, and the share of the table's bytes that went over the wire."""
            traffic.reset()
            sql = f"SELECT {what}, count(*) AS n FROM executions WHERE {condition}"
            return database.query(sql).rows()[0]["n"], traffic.answered / size

        _, durations = asked("sum(duration_s)")
        _, outcomes = asked("count(DISTINCT outcome)")
        _, constant = asked("count(DISTINCT strategy)")
        assert constant < 0.05 < outcomes < 0.25 < durations < 0.95
        everything, _ = asked("sum(duration_s)")
        for condition in ("subject_id = 'subject-07'", "subject_id IN ('subject-07')"):
            rows, share = asked("sum(duration_s)", condition)
            assert rows == everything / 40
            assert share < durations / 3


def test_questions_outlive_failing_requests(through: str, traffic: Traffic) -> None:
    fill(open_store(through), SMALL, 1000)
    traffic.share = 0.1
    with connect(through) as database:
        assert run_report(database, "mutation_score").rows()
    assert sum(traffic.failed.values()) > 0


def test_a_store_that_fails_under_a_question_is_trouble_on_our_side(
    through: str, traffic: Traffic
) -> None:
    fill(open_store(through), SMALL, 1000)
    with connect(through) as database:
        traffic.share, traffic.faults = 1.0, ("refuse",)
        with pytest.raises(InfraError, match="query failed"):
            database.query("SELECT sum(duration_s) FROM executions").rows()


def test_the_extension_gets_the_place_and_the_keys(through: str) -> None:
    store = open_store(through)
    assert isinstance(store, S3Store)
    sql = secret_sql(store)
    place = through.partition("http://")[2]
    assert f"ENDPOINT '{place}', URL_STYLE 'path', USE_SSL false" in sql
    assert "KEY_ID 'testing', SECRET 'testing-secret', REGION 'us-east-1'" in sql


def test_plain_sql_for_other_clients_names_the_objects_and_no_secret(moto: str) -> None:
    from storage.database import views_sql

    uri = make_bucket(moto)
    fill(open_store(uri), SMALL, 500)
    sql = views_sql(uri)
    bucket = uri.partition("?")[0]
    assert f"'{bucket}/{EXPERIMENT}/executions/unit-" in sql
    assert "testing" not in sql
