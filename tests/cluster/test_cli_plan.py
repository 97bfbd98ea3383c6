"""`killgrid plan` and `killgrid run` on real files, as far as no suite needs to be run."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cluster.cli import main

CONFIG = """\
experiment: small
subjects:
  - project: tree
    targets: [calc.py]
mutants:
  - engine: mutmut
  - {engine: edits, file: edits.jsonl}
arms:
  - name: own
    writer: {files: existing}
  - name: made
    writer: {files: suites}
"""
EDITS = """\
{"id": "sign", "file": "calc.py", "old": "a + b", "new": "a - b"}
{"id": "parse", "file": "calc.py", "old": "return a + b", "new": "return a +"}
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KILLGRID_CACHE", str(tmp_path / "cache"))
    for folder in ("tree/tests", "suites/other"):
        (tmp_path / folder).mkdir(parents=True)
    source = "LIMIT = 3\n\n\ndef add(a, b):\n    return a + b\n"
    (tmp_path / "tree/calc.py").write_text(source)
    test = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
    (tmp_path / "tree/tests/test_calc.py").write_text(test)
    (tmp_path / "suites/other/test_calc.py").write_text(test)
    (tmp_path / "edits.jsonl").write_text(EDITS)
    path = tmp_path / "small.yaml"
    path.write_text(CONFIG)
    return path


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


def sections(text: str) -> dict[str, list[list[str]]]:
    """Words of the lines below each unindented title."""
    found: dict[str, list[list[str]]] = {}
    for line in text.splitlines():
        if line.startswith("  "):
            list(found.values())[-1].append(line.split())
        elif line:
            found[line] = []
    return found


def test_plan_shows_subjects_mutants_by_operator_and_status_and_cells(config: Path) -> None:
    result = invoke("plan", config, "--no-run")
    assert result.exit_code == 0, result.stderr
    shown = sections(result.stdout)
    assert shown["Subjects"][1] == ["tree", "project", "calc.py", "3", "1", "1"]
    assert shown["Mutants by operator and status"] == [
        ["engine", "operator", "ok", "uncompilable", "duplicate"],
        ["edits", "edit", "1", "1"],
        ["mutmut", "swap_op", "1"],
        ["all", "1", "1", "1"],
    ]
    assert shown["Cells"] == [
        ["arm", "cells", "mutants"],
        ["own", "1", "1"],
        ["made", "0", "0"],
        ["all", "1", "1"],
    ]
    assert any("arm made" in " ".join(words) for words in shown["Notes"])


def test_plan_says_what_engines_leave_alone_and_on_demand_where(config: Path) -> None:
    title = "What engines leave alone"
    assert sections(invoke("plan", config, "--no-run").stdout)[title][0] == [
        "tree:",
        "module",
        "level",
    ]
    verbose = invoke("plan", config, "--no-run", "--verbose").stdout
    assert "calc.py:1: " in verbose


def test_set_changes_what_is_planned(config: Path) -> None:
    result = invoke("plan", config, "--no-run", "--set", "subjects.0.mutants=[{engine: mutmut}]")
    assert sections(result.stdout)["Subjects"][1][3] == "1"


@pytest.mark.parametrize("command", ["plan", "run"])
def test_three_mistakes_print_three_lines_with_their_places(config: Path, command: str) -> None:
    config.write_text(CONFIG.replace("project: tree", "project: tre").replace("mutmut", "mutmud"))
    result = invoke(command, config, "--set", "seed=x")
    assert (result.exit_code, result.stdout) == (2, "")
    lines = result.stderr.replace(f"{config.parent}/", "").splitlines()
    assert [line.split(": ")[2] for line in lines] == [
        "small.yaml:3:5",
        "small.yaml:6:5",
        "--set seed=x",
    ]
    assert all(line.startswith("killgrid: error: ") for line in lines)


@pytest.mark.parametrize("command", ["plan", "run"])
def test_a_target_that_is_not_there_is_exit_code_3_and_one_line(config: Path, command: str) -> None:
    result = invoke(command, config, "--set", "subjects.0.targets=[calk.py]")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr == (
        "killgrid: error: subject tree: target 'calk.py' is not in its tree; "
        "did you mean calc.py?\n"
    )


def test_score_of_a_target_that_is_not_there_names_it(config: Path) -> None:
    result = invoke("score", config.parent / "tree", "--target", "calk.py")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "target 'calk.py' is not in its tree" in result.stderr


def test_score_needs_a_target(config: Path) -> None:
    result = invoke("score", config.parent / "tree")
    assert result.exit_code == 2
    assert "Missing option '--target'" in result.stderr
