"""The commands on a small project, through the real engine: run once, then ask."""

from __future__ import annotations

import json
from pathlib import Path

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


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "calculator/tests").mkdir(parents=True)
    (tmp_path / "calculator/calc.py").write_text(SOURCE)
    (tmp_path / "calculator/tests/test_calc.py").write_text(TESTS)
    return tmp_path / "calculator"


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_score_counts_kills_and_names_survivors_with_the_tests_that_came_near(
    project: Path,
) -> None:
    before = files(project)
    store = project.parent / "results"
    result = invoke(
        "score", project, "--target", "calc.py", "--store", store, "--format", "json", "--quiet"
    )
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    # Of `add` only `a + b` -> `a - b` is caught; `unused` is not called at all.
    counts = {key: told[key] for key in ("mutants", "killed", "survived", "not_covered")}
    assert counts == {"mutants": 6, "killed": 1, "survived": 3, "not_covered": 2}
    assert told["score"] == pytest.approx(1 / 6)
    assert told["tests"]["wrong_oracle"] == 1
    near = {row["mutant"]: row["near_tests"] for row in told["survivors"]}
    calls = ["tests/test_calc.py::test_small", "tests/test_calc.py::test_large"]
    assert near["calc.x_add__mutmut_1"] == calls
    assert near["calc.x_unused__mutmut_1"] == []
    assert "+    if a >= LIMIT:" in told["survivors"][0]["diff"]
    assert files(project) == before

    again = invoke("score", project, "--target", project / "calc.py", "--store", store, "--quiet")
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
    assert lines[near_at + 1 : near_at + 4] == [*(f"    {call}" for call in calls), ""]
    assert len(invoke("status", "--store", store).stdout.splitlines()) == 2
