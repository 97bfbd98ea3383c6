"""The commands on a small project, through the real engine: run once, then ask."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cluster.cli import main

SOURCE = """\
LIMIT = 3


def add(a, b):
    if a > LIMIT:
        return a - -b
    return a + b


def unused(a):
    return a * 2
"""
TESTS = """\
from calc import add


def test_small():
    assert add(1, 2) == 3


def test_large():
    assert add(10, 2) > 5


def test_wrong():
    assert add(1, 1) == 3
"""


CALLS = ["tests/test_calc.py::test_small", "tests/test_calc.py::test_large"]


@dataclass(frozen=True)
class Scored:
    """A project, what `score --format json` told of it, and the store that it left."""

    project: Path
    store: Path
    told: dict[str, Any]
    before: dict[Path, bytes]


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def make_project(folder: Path) -> Path:
    project = folder / "calculator"
    (project / "tests").mkdir(parents=True)
    (project / "calc.py").write_text(SOURCE)
    (project / "tests/test_calc.py").write_text(TESTS)
    return project


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    folder = tmp_path_factory.mktemp("scored")
    project, store = make_project(folder), folder / "results"
    before = files(project)
    result = invoke(
        "score", project, "--target", "calc.py", "--store", store, "--format", "json", "--quiet"
    )
    assert result.exit_code == 0, result.stderr
    return Scored(project, store, json.loads(result.stdout), before)


def test_score_counts_kills_and_leaves_the_project_alone(scored: Scored) -> None:
    # Of `add` only `a + b` -> `a - b` is caught; `unused` is not called at all.
    counts = {key: scored.told[key] for key in ("mutants", "killed", "survived", "not_covered")}
    assert counts == {"mutants": 6, "killed": 1, "survived": 3, "not_covered": 2}
    assert scored.told["score"] == pytest.approx(1 / 6)
    assert scored.told["tests"]["wrong_oracle"] == 1
    assert files(scored.project) == scored.before


def test_score_names_survivors_with_their_diffs_and_the_tests_that_came_near(
    scored: Scored,
) -> None:
    near = {row["mutant"]: row["near_tests"] for row in scored.told["survivors"]}
    assert near["calc.x_add__mutmut_1"] == CALLS
    assert near["calc.x_unused__mutmut_1"] == []
    assert "+    if a >= LIMIT:" in scored.told["survivors"][0]["diff"]


def test_the_same_score_again_is_the_stored_one_and_readable(scored: Scored) -> None:
    target = scored.project / "calc.py"
    again = invoke("score", scored.project, "--target", target, "--store", scored.store)
    assert again.exit_code == 0, again.stderr
    lines = again.stdout.splitlines()
    assert lines[-3:] == [
        "calculator: mutation score 0.167",
        "1 of 6 mutants killed (0 of them by timeouts or crashes only), 3 survived, 2 not covered",
        "2 of 3 tests count; left out: 1 wrong oracle",
    ]
    start = lines.index("survived: calc.x_add__mutmut_1 (swap_op) calc.py:5")
    assert lines[start + 1] == "    --- a/calc.py"
    near_at = lines.index("  2 tests came near:", start)
    assert lines[near_at + 1 : near_at + 4] == [*(f"    {call}" for call in CALLS), ""]
    assert len(invoke("status", "--store", scored.store).stdout.splitlines()) == 2


def test_query_and_sql_answer_about_the_same_store(scored: Scored, tmp_path: Path) -> None:
    told = invoke("query", "mutation_score", "--store", scored.store, "--format", "json")
    assert json.loads(told.stdout)[0]["score"] == pytest.approx(1 / 6)
    killers = invoke("query", "killers", "--store", scored.store, "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(killers.stdout))
    assert (row["mutant"], row["killers"]) == ("calc.x_add__mutmut_4", "1")
    statement = "SELECT count(*) AS n FROM mutants WHERE status = 'ok'"
    answer = invoke("sql", statement, "--store", scored.store, "--format", "csv")
    assert answer.stdout.splitlines()[1] == "6"
    output = tmp_path / "matrix.parquet"
    saved = invoke(
        "query", "kill_matrix", "--store", scored.store, "--format", "parquet", "--output", output
    )
    assert (saved.exit_code, saved.stdout) == (0, "")
    assert output.read_bytes()[:4] == b"PAR1"


@pytest.mark.slow
def test_a_suite_that_cannot_be_scored_is_no_plausible_zero(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    (project / "tests/test_calc.py").write_text("import calc\n\n\ndef test_nothing():\n    pass\n")
    result = invoke("score", project, "--target", "calc.py", "--quiet")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no score: the suite is not_exercised" in result.stderr


CONFIG = """\
experiment: small
subjects:
  - project: calculator
    targets: [calc.py]
mutants:
  - engine: mutmut
arms:
  - name: own
    writer: {files: existing}
  - name: broken
    writer: {files: broken}
"""


@pytest.mark.slow
def test_plan_runs_controls_and_stores_nothing_and_run_agrees_with_it(tmp_path: Path) -> None:
    make_project(tmp_path)
    (tmp_path / "broken/calculator").mkdir(parents=True)
    (tmp_path / "broken/calculator/test_it.py").write_text("def test_it(:\n")
    config = tmp_path / "small.yaml"
    config.write_text(CONFIG)
    store = tmp_path / "results"
    planned = invoke("plan", config, "--set", f"store={store}", "--quiet")
    assert planned.exit_code == 0, planned.stderr
    words = [line.split() for line in planned.stdout.splitlines()]
    assert ["own", "valid", "1"] in words
    assert ["broken", "syntax_error", "1"] in words
    assert ["own", "wrong_oracle", "1"] in words
    assert "Estimated time:" in planned.stdout
    assert not store.exists()

    run = invoke("run", config, "--store", store, "--quiet")
    assert run.exit_code == 0, run.stderr
    assert ": 2 of 2 cells; 18 outcomes" in run.stdout
    again = invoke("run", config, "--store", store, "--quiet")
    assert ": 2 of 2 cells, 2 of them before; 0 outcomes" in again.stdout
