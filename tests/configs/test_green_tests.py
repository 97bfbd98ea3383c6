"""The problem set green_tests: what each suite says of each version.

Every suite is run on every version by real pytest: one run over a tree with a folder for each pair,
in which a hook gives each folder its own `solution` module.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tasks.problems import SUITE_KINDS, Problem, load_problem_set

PROBLEM_LIST = load_problem_set("green_tests")
BY_NAME = {problem.subject.name: problem for problem in PROBLEM_LIST}

CONFTEST = """
import json
import sys

import pytest

outcomes = {}


@pytest.hookimpl(tryfirst=True)
def pytest_make_collect_report(collector):
    if isinstance(collector, pytest.Module):
        sys.modules.pop("solution", None)
        sys.path[0] = str(collector.path.parent)


def pytest_collectreport(report):
    if report.failed:
        outcomes[report.nodeid + "::collection"] = "error"


def pytest_runtest_logreport(report):
    if report.when == "call" or not report.passed:
        outcomes[report.nodeid] = report.outcome if report.when == "call" else "error"


def pytest_sessionfinish(session):
    path = session.config.rootpath / "outcomes.json"
    path.write_text(json.dumps(outcomes))
"""

Outcomes = dict[tuple[str, str, str], dict[str, str]]


def versions(problem: Problem) -> dict[str, bytes]:
    variants = {variant.name: variant.source for variant in problem.variants}
    return {"correct": problem.subject.source("solution.py"), **variants}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """Outcome of each test by (problem, kind of suite, version)."""
    root = tmp_path_factory.mktemp("green")
    (root / "conftest.py").write_text(CONFTEST)
    (root / "pytest.ini").write_text("[pytest]\n")
    for problem in PROBLEM_LIST:
        for version, source in versions(problem).items():
            for kind, suite in problem.suites:
                folder = root / problem.subject.name / kind / version
                folder.mkdir(parents=True)
                (folder / "solution.py").write_bytes(source)
                (folder / "test_suite.py").write_bytes(suite)
    command = [sys.executable, "-B", "-m", "pytest", "-q", "--tb=no", "--no-header", "-rN"]
    command += [
        "--import-mode=importlib",
        "--assert=plain",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:timeout",
    ]
    subprocess.run(
        command,
        cwd=root,
        env={**os.environ, "CI": "1"},
        capture_output=True,
        timeout=240,
        check=False,
    )
    found: Outcomes = defaultdict(dict)
    for nodeid, outcome in json.loads((root / "outcomes.json").read_text()).items():
        path, _, test = nodeid.partition("::")
        name, kind, version, _ = path.split("/")
        found[name, kind, version][test] = outcome
    return found


def kills(outcomes: Outcomes, problem: Problem, kind: str) -> set[str]:
    """Variants on which a test does not pass that passes on the correct version."""
    name = problem.subject.name
    correct = outcomes[name, kind, "correct"]
    return {
        variant.name
        for variant in problem.variants
        if any(
            outcome != "passed" and correct.get(test) == "passed"
            for test, outcome in outcomes[name, kind, variant.name].items()
        )
    }


each_problem = pytest.mark.parametrize("problem", PROBLEM_LIST, ids=list(BY_NAME))


def test_the_twelve_are_there() -> None:
    assert len(PROBLEM_LIST) == 12
    assert all(len(problem.variants) in (3, 4) for problem in PROBLEM_LIST)


@each_problem
def test_every_suite_is_collected_on_every_version(problem: Problem, outcomes: Outcomes) -> None:
    for kind in SUITE_KINDS:
        tests = [set(outcomes[problem.subject.name, kind, v]) for v in versions(problem)]
        assert tests[0]
        assert all(each == tests[0] for each in tests)
        assert not any("collection" in test for test in tests[0])


@each_problem
def test_reference_suite_passes_on_the_correct_code_and_kills_all(
    problem: Problem, outcomes: Outcomes
) -> None:
    correct = outcomes[problem.subject.name, "reference", "correct"]
    assert {test for test, outcome in correct.items() if outcome != "passed"} == set()
    assert kills(outcomes, problem, "reference") == {v.name for v in problem.variants}


@each_problem
def test_weak_suite_passes_on_the_correct_code_and_misses_the_planted_bug(
    problem: Problem, outcomes: Outcomes
) -> None:
    assert set(outcomes[problem.subject.name, "weak", "correct"].values()) == {"passed"}
    assert set(outcomes[problem.subject.name, "weak", "planted"].values()) == {"passed"}
    assert kills(outcomes, problem, "weak") < kills(outcomes, problem, "reference")


@each_problem
def test_locking_suite_holds_the_planted_bug_to_be_right(
    problem: Problem, outcomes: Outcomes
) -> None:
    correct = outcomes[problem.subject.name, "locking", "correct"]
    planted = outcomes[problem.subject.name, "locking", "planted"]
    assert set(planted.values()) == {"passed"}
    assert set(correct.values()) == {"passed", "failed"}


@each_problem
def test_variants_keep_the_contract_and_break_it_in_the_code_alone(problem: Problem) -> None:
    docstrings = {
        ast.get_docstring(node)
        for source in versions(problem).values()
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name == problem.function
    }
    assert docstrings == {problem.subject.docstring}


@each_problem
def test_only_the_standard_library_is_imported(problem: Problem) -> None:
    for source in versions(problem).values():
        for node in ast.walk(ast.parse(source)):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names


def test_the_guide_lists_every_problem_and_category() -> None:
    text = (Path(__file__).parents[2] / "docs" / "problems.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", text, flags=re.M) == list(BY_NAME)
    used = {variant.category for problem in PROBLEM_LIST for variant in problem.variants}
    listed = text.split("Categories in use:")[1].split("\n\n")[0]
    assert re.findall(r"`(\w+)`", listed) == sorted(used)
