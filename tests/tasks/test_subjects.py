"""Subjects: what a config entry names, given an environment and an id by content."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from configs.errors import ConfigError, NotFoundError
from configs.schema import SubjectConfig
from tasks.packages import lock_lines
from tasks.problems import load_problem_set
from tasks.records import Subject
from tasks.subjects import identified, load_subjects, slug


def load(base: Path, **fields: Any) -> list[Subject]:
    return load_subjects(SubjectConfig(**fields), base, base / "cache")


def pool(base: Path, *lines: object) -> str:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (base / "pool.jsonl").write_text("\n".join(texts) + "\n")
    return "pool.jsonl"


def test_every_problem_of_a_set_is_a_subject(tmp_path: Path) -> None:
    subjects = load(tmp_path, problems="green_tests")
    problems = [problem.subject for problem in load_problem_set("green_tests")]
    assert [(s.name, s.files) for s in subjects] == [(p.name, p.files) for p in problems]
    assert all(s.environment.requirements == lock_lines() for s in subjects)
    assert len({s.subject_id for s in subjects}) == len(subjects)


def test_only_takes_names_and_globs_and_refuses_what_matches_nothing(tmp_path: Path) -> None:
    subjects = load(tmp_path, problems="green_tests", only=["pag*", "slugify"])
    assert [subject.name for subject in subjects] == ["paginate", "slugify"]
    with pytest.raises(NotFoundError, match="nothing is named 'slugfy'; did you mean slugify"):
        load(tmp_path, problems="green_tests", only=["paginate", "slugfy"])


def test_a_function_a_line(tmp_path: Path) -> None:
    first = {"name": "HumanEval/0", "source": 'def f(a):\n    """Doc."""\n    return a\n'}
    second = {"name": "g", "source": "def g(): ...\n", "docstring": "Given.", "module": "m.g"}
    second |= {"family": "fam", "split": "test", "licence": "MIT"}
    one, two = load(tmp_path, functions=pool(tmp_path, first, "", second))
    assert (one.name, one.kind, one.targets) == ("HumanEval/0", "function", ("solution.py",))
    assert one.subject_id.startswith("HumanEval_0-")
    assert (one.docstring, one.module) == ("Doc.", "solution")
    assert one.source("solution.py") == first["source"].encode()
    assert (two.docstring, two.module, two.family, two.split) == ("Given.", "m.g", "fam", "test")
    assert two.licence == "MIT"


def test_all_bad_lines_of_a_functions_file_are_told_together(tmp_path: Path) -> None:
    good = {"name": "f", "source": "def f(): ...\n"}
    lines = [
        good,
        "{not json",
        {"name": "g"},
        {**good, "name": "h", "source": "def h(:\n"},
        good,
        {**good, "name": "a\nb"},
        {**good, "name": "i", "source": 3},
        [1],
        *({**good, "name": f"n{n}", "difficulty": 1} for n in range(3)),
    ]
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, functions=pool(tmp_path, *lines))
    file = tmp_path / "pool.jsonl"
    starts = [
        f"{file}:2: not JSON: ",
        f"{file}:3: key 'source' is missing",
        f"{file}:4: the source of 'h' does not parse: ",
        f"{file}:5: name 'f' is taken by {file}:1",
        f"{file}:6: name 'a\\nb' is empty, too long or not printable",
        f"{file}:7: key 'source' is not text",
        f"{file}:8: not an object",
        f"{file}:9: unknown key 'difficulty' (and 2 more lines)",
    ]
    assert len(caught.value.problems) == len(starts)
    for problem, start in zip(caught.value.problems, starts, strict=True):
        assert problem.startswith(start)


def test_a_source_is_written_in_the_encoding_its_cookie_names(tmp_path: Path) -> None:
    source = "# -*- coding: latin-1 -*-\nNAME = 'é'\n"
    (subject,) = load(tmp_path, functions=pool(tmp_path, {"name": "f", "source": source}))
    scope: dict[str, str] = {}
    exec(subject.source("solution.py"), scope)
    assert scope["NAME"] == "é"


def test_no_such_file_or_set(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"nowhere\.jsonl: No such file"):
        load(tmp_path, functions="nowhere.jsonl")
    with pytest.raises(NotFoundError, match="no problem set 'gren'"):
        load(tmp_path, problems="gren")


def test_the_id_changes_with_whatever_can_change_an_outcome(tmp_path: Path) -> None:
    (subject,) = load(tmp_path, problems="green_tests", only=["slugify"])
    assert identified(subject).subject_id == subject.subject_id
    changed = [
        replace(subject, files=(replace(subject.files[0], data=b"x = 1\n"),)),
        replace(subject, targets=("a.py", "solution.py")),
        replace(subject, environment=replace(subject.environment, python="3.12")),
        replace(subject, environment=replace(subject.environment, requirements=("pytest",))),
        replace(subject, import_roots=("src",)),
        replace(subject, plugins=()),
        replace(subject, pytest_args=("-x",)),
        replace(subject, existing_tests=("tests",)),
    ]
    ids = {subject.subject_id, *(identified(each).subject_id for each in changed)}
    assert len(ids) == len(changed) + 1
    assert identified(replace(subject, family="other")).subject_id == subject.subject_id


def test_settings_of_the_entry_reach_every_subject(tmp_path: Path) -> None:
    fields: dict[str, Any] = {"plugins": ["p.q"], "pytest_args": ["-x"], "import_roots": ["a/"]}
    for subject in load(tmp_path, problems="green_tests", **fields):
        assert subject.plugins == ("_hypothesis_pytestplugin", "p.q")
        assert subject.pytest_args == ("-x",)
        assert subject.import_roots == ("a",)


@pytest.mark.parametrize(
    ("name", "expected"), [("HumanEval/0", "HumanEval_0"), ("../x", "x"), ("é", "subject")]
)
def test_a_name_becomes_part_of_a_file_name(name: str, expected: str) -> None:
    assert slug(name) == expected


@pytest.mark.parametrize(
    ("name", "source", "function"),
    [
        ("f", "def g(): ...\ndef f(): ...\n", "f"),
        ("pkg.f", "def g(): ...\nasync def f(): ...\n", "f"),
        ("Pool/f", "def g(): ...\ndef f(): ...\n", "f"),
        ("Pool/7", "X = 1\ndef g(): ...\n", "g"),
        ("Pool/7", "def g(): ...\ndef f(): ...\n", ""),
        ("A", "class A: ...\n", ""),
    ],
)
def test_a_line_of_a_functions_file_is_about_the_function_it_names(
    tmp_path: Path, name: str, source: str, function: str
) -> None:
    (subject,) = load(tmp_path, functions=pool(tmp_path, {"name": name, "source": source}))
    assert subject.function == function


def test_a_line_of_a_functions_file_may_tell_the_issue(tmp_path: Path) -> None:
    line = {"name": "f", "source": "def f(): ...\n", "issue": " Do it.\n"}
    (subject,) = load(tmp_path, functions=pool(tmp_path, line))
    assert subject.issue == "Do it."
    assert load(tmp_path, functions=pool(tmp_path, {**line, "issue": ""}))[0].issue == ""
