"""Every report over 200,000 executions; 10 million are the benchmark's job."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from benchmarks.query_store import EXPERIMENT, FUNCTIONS, Shape, generate
from storage.database import connect
from storage.objects import open_store
from storage.reports import list_reports, run_report
from storage.units import read_index

KILLING = pa.array(["failed", "error", "timeout", "crashed"])
SMALL_PROJECT = Shape("project", subjects=1, arms=2, tests=100, mutants=100)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> str:
    root = str(tmp_path_factory.mktemp("large"))
    generate(open_store(root), 200_000, {FUNCTIONS: 0.8, SMALL_PROJECT: 0.2})
    return root


@pytest.mark.parametrize("name", [report.name for report in list_reports()])
def test_every_report_answers_within_little_memory(large: str, name: str) -> None:
    with connect(large, memory_limit="300MB", threads=2) as database:
        assert sum(batch.num_rows for batch in run_report(database, name)) > 0


def test_the_reports_agree_with_a_count_over_the_raw_rows(large: str) -> None:
    index = read_index(open_store(large), EXPERIMENT)
    tables = {name: pq.read_table(paths) for name, paths in index.objects.items()}
    kept = pc.filter(tables["tests"]["test_id"], tables["tests"]["kept"])
    rows = tables["executions"].filter(pc.field("test_id").isin(kept))
    killing = pc.is_in(rows["outcome"].cast("string"), KILLING)
    judged, killed = _pairs(rows), _pairs(rows.filter(killing))
    with connect(large) as database:
        scores = run_report(database, "mutation_score", {"by": "all"}).rows()
        per_suite = database.query(
            "SELECT sum(killed + timeout)::BIGINT AS caught, sum(judged)::BIGINT AS judged "
            "FROM suite_scores"
        ).rows()
        killers = run_report(database, "killers").table()
    assert per_suite == [{"caught": len(killed), "judged": len(judged)}]
    assert killers.num_rows == len(killed)
    assert sum(killers["killers"].to_pylist()) == pc.sum(killing).as_py()
    assert sum(row["killed"] + row["timeout"] for row in scores) == len(killed)
    assert sum(row["mutants"] for row in scores) == len(judged)


def test_the_sound_store_passes_its_check(large: str) -> None:
    with connect(large) as database:
        rows = run_report(database, "self_check").rows()
    assert [row["check"] for row in rows if row["status"] == "bad"] == []


def _pairs(rows: pa.Table) -> set[tuple[str, str]]:
    return set(zip(rows["suite_id"].to_pylist(), rows["mutant_id"].to_pylist(), strict=True))
