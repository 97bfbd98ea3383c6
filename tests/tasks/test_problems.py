"""Loading problem sets: what comes out, and how faults of the files are told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from configs.errors import ConfigError, NotFoundError
from tasks.problems import PROBLEMS, Problem, load_problem_set, problem_sets
from tasks.records import sha256

SOLUTION = '''def double(number):
    """Return twice the number."""
    return number * 2
'''
SHEET = """name: double
family: numbers
function: double
issue: >-
  Numbers must be doubled.
planted: {category: arithmetic, description: Squares.}
mutants:
  mutant_1: {category: arithmetic, description: Triples.}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A set `small` with the one problem `double`."""
    folder = tmp_path / "small" / "double"
    (folder / "suites").mkdir(parents=True)
    (folder / "problem.yaml").write_text(SHEET)
    (folder / "solution.py").write_text(SOLUTION)
    (folder / "planted.py").write_text(SOLUTION.replace("* 2", "** 2"))
    (folder / "mutant_1.py").write_text(SOLUTION.replace("* 2", "* 3"))
    for kind in ("reference", "weak", "locking"):
        (folder / "suites" / f"{kind}.py").write_text(f"# {kind}\ndef test_it(): pass\n")
    return folder


def load(folder: Path) -> list[Problem]:
    return load_problem_set(folder.parent.name, root=folder.parents[1])


def faults(folder: Path) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(folder)
    return [line.removeprefix(f"{folder}/") for line in caught.value.problems]


def test_built_in_sets_are_named() -> None:
    assert "green_tests" in problem_sets()
    assert all((PROBLEMS / name).is_dir() for name in problem_sets())


def test_problem_is_a_function_subject(folder: Path) -> None:
    (problem,) = load(folder)
    subject = problem.subject
    assert subject.subject_id == f"double-{sha256(SOLUTION.encode())[:8]}"
    assert (subject.name, subject.kind, subject.module) == ("double", "function", "solution")
    assert subject.targets == ("solution.py",)
    assert [(file.path, file.data) for file in subject.files] == [
        ("solution.py", SOLUTION.encode())
    ]
    assert subject.source_sha256 == sha256(SOLUTION.encode())
    assert subject.docstring == "Return twice the number."
    assert (subject.family, problem.function) == ("numbers", "double")
    assert problem.issue == "Numbers must be doubled."


def test_variants_have_the_planted_one_first(folder: Path) -> None:
    (problem,) = load(folder)
    assert [(v.name, v.planted) for v in problem.variants] == [
        ("planted", True),
        ("mutant_1", False),
    ]
    assert b"** 2" in problem.planted.source
    assert (problem.planted.category, problem.planted.description) == ("arithmetic", "Squares.")


def test_suites_come_by_kind(folder: Path) -> None:
    (problem,) = load(folder)
    assert [kind for kind, _ in problem.suites] == ["reference", "weak", "locking"]
    assert problem.suite("weak").startswith(b"# weak")
    with pytest.raises(NotFoundError, match=r"double: no suite 'strong'.*reference, weak, locking"):
        problem.suite("strong")


def test_id_follows_the_source(folder: Path) -> None:
    before = load(folder)[0].subject.subject_id
    (folder / "solution.py").write_text(SOLUTION + "\n")
    assert load(folder)[0].subject.subject_id != before


def test_source_in_another_encoding_is_kept_as_bytes(folder: Path) -> None:
    source = b"# coding: latin-1\r\n" + SOLUTION.replace("twice", "zweimal \xfc").encode("latin-1")
    (folder / "solution.py").write_bytes(source)
    (problem,) = load(folder)
    assert problem.subject.source("solution.py") == source
    assert problem.subject.docstring == "Return zweimal \xfc the number."


def test_problems_come_sorted_and_only_those_named() -> None:
    names = [problem.subject.name for problem in load_problem_set("green_tests")]
    assert names == sorted(names)
    some = load_problem_set("green_tests", ["truncate", "chunk"])
    assert [problem.subject.name for problem in some] == ["chunk", "truncate"]


def test_missing_set_names_those_that_exist(folder: Path) -> None:
    with pytest.raises(NotFoundError, match=r"no problem set 'red_tests'.*green_tests"):
        load_problem_set("red_tests")
    with pytest.raises(NotFoundError, match=r"no problem set '\.\./small'; there are small$"):
        load_problem_set("../small", root=folder.parents[1])


def test_missing_problem_names_those_that_exist(folder: Path) -> None:
    with pytest.raises(
        NotFoundError, match="set small: no problem 'halve', 'triple'; there are double"
    ):
        load_problem_set("small", ["triple", "double", "halve"], root=folder.parents[1])


def test_faults_of_all_files_are_told_together(folder: Path) -> None:
    other = folder.with_name("other")
    shutil.copytree(folder, other)
    (folder / "planted.py").write_text("def double(number:\n")
    (folder / "suites" / "weak.py").unlink()
    (folder / "mutant_1.py").write_text("def double(number):\n    return number * 3\n")
    lines = faults(folder)
    assert len(lines) == 4
    assert lines[0] == "planted.py: '(' was never closed (planted.py, line 1)"
    assert lines[1] == "mutant_1.py: no function 'double' with a docstring"
    assert lines[2] == "suites/weak.py: No such file or directory"
    assert lines[3] == f"{other}/problem.yaml: name: 'double' is not the folder's name"


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("family: numbers\n", "", "problem.yaml: family: Field required"),
        ("family:", "familly:", "problem.yaml: familly: Extra inputs are not permitted"),
        ("{category: arithmetic, description: Triples.}", "{category: x}", "mutant_1.description"),
        ("issue:", "issue: [", "problem.yaml: "),
        ("mutant_1:", "../mutant:", "problem.yaml: mutants.../mutant"),
        ("mutant_1:", "planted:", "problem.yaml: mutants.planted"),
    ],
)
def test_faults_of_the_sheet(folder: Path, old: str, new: str, fault: str) -> None:
    (folder / "problem.yaml").write_text(SHEET.replace(old, new))
    assert any(fault in line for line in faults(folder))


def test_empty_and_missing_sheet(folder: Path) -> None:
    (folder / "problem.yaml").write_text("")
    assert len(faults(folder)) == 1
    (folder / "problem.yaml").unlink()
    assert faults(folder) == ["problem.yaml: No such file or directory"]


def test_mutant_without_description_is_a_fault(folder: Path) -> None:
    (folder / "mutant_2.py").write_text(SOLUTION.replace("* 2", "+ 2"))
    assert faults(folder) == ["problem.yaml: mutants: mutant_2.py is not described"]


def test_mutant_without_file_is_a_fault(folder: Path) -> None:
    (folder / "mutant_1.py").unlink()
    assert faults(folder) == ["mutant_1.py: No such file or directory"]


def test_unfinished_copy_is_a_fault(folder: Path) -> None:
    (folder / "planted.py").write_text(SOLUTION)
    assert faults(folder) == ["planted.py: the same text as solution.py"]
