"""Variants: whole versions from a problem set, a folder or a JSONL file."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from configs.errors import ConfigError
from tasks.mutants import make_mutants
from tasks.problems import load_problem_set
from tasks.records import Environment
from tests.tasks.mutant_helpers import by_name, config, subject, subject_of

SOURCE = "def f(a):\n    return a + 1\n"
PLANTED = "def f(a):\n    return a - 1\n"


def test_a_problem_brings_its_own_in_whatever_environment(tmp_path: Path) -> None:
    for problem in load_problem_set("green_tests"):
        own = replace(problem.subject, subject_id="other-id", environment=Environment("3.11", ()))
        made = make_mutants(own, [config("variants")], tmp_path, tmp_path).mutants
        expected = [(v.name, v.planted, v.category, v.source) for v in problem.variants]
        assert [(m.name, m.planted, m.category, m.source) for m in made] == expected
        assert {m.status for m in made} == {"ok"}
        assert made[0].planted


def test_another_source_of_the_same_name_is_another_subject(tmp_path: Path) -> None:
    problem = load_problem_set("green_tests")[0]
    other = replace(problem.subject, source_sha256="0" * 64)
    with pytest.raises(ConfigError, match="is of no built-in problem set"):
        make_mutants(other, [config("variants")], tmp_path, tmp_path)


def test_a_subject_of_no_problem_set_needs_a_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="subject demo: engine variants needs a file"):
        make_mutants(subject(SOURCE), [config("variants")], tmp_path, tmp_path)


def test_a_folder_gives_one_variant_a_file(tmp_path: Path) -> None:
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "planted.py").write_text(PLANTED)
    (tmp_path / "v" / "broken.py").write_text("def f(a):\n    return a +\n")
    (tmp_path / "v" / "latin.py").write_bytes(b"# coding: latin-1\nx = '\xe9'\n")
    (tmp_path / "v" / "unreadable.py").write_bytes(b"x = '\xe9'\n")
    made = make_mutants(subject(SOURCE), [config("variants", file="v")], tmp_path, tmp_path)
    assert {m.name: (m.planted, m.status) for m in made.mutants} == {
        "broken": (False, "uncompilable"),
        "latin": (False, "ok"),
        "planted": (True, "ok"),
        "unreadable": (False, "uncompilable"),
    }
    assert by_name(made)["latin"].source == b"# coding: latin-1\nx = '\xe9'\n"
    assert "+x = 'é'" in by_name(made)["latin"].diff


def test_a_subfolder_of_the_subjects_name_comes_first(tmp_path: Path) -> None:
    for folder, text in {"demo": PLANTED, "other": "x = 1\n"}.items():
        (tmp_path / "v" / folder).mkdir(parents=True)
        (tmp_path / "v" / folder / "one.py").write_text(text)
    made = make_mutants(subject(SOURCE), [config("variants", file="v")], tmp_path, tmp_path)
    assert [m.source for m in made.mutants] == [PLANTED.encode()]


def test_a_folder_must_hold_variants_and_mean_one_target(tmp_path: Path) -> None:
    (tmp_path / "v").mkdir()
    with pytest.raises(ConfigError, match=r"no \*\.py file, so no variants of subject demo"):
        make_mutants(subject(SOURCE), [config("variants", file="v")], tmp_path, tmp_path)
    (tmp_path / "v" / "one.py").write_text(PLANTED)
    both = subject_of({"a.py": SOURCE, "b.py": SOURCE})
    with pytest.raises(ConfigError, match="subject demo has 2 targets"):
        make_mutants(both, [config("variants", file="v")], tmp_path, tmp_path)


def test_rows_carry_the_source_and_the_mark(tmp_path: Path) -> None:
    rows = [
        {"id": "bug", "file": "b.py", "source": PLANTED, "planted": True, "category": "sign"},
        {"id": "same", "file": "b.py", "source": SOURCE, "operator": "none"},
    ]
    (tmp_path / "v.jsonl").write_text("\n".join(map(json.dumps, rows)))
    both = subject_of({"a.py": SOURCE, "b.py": SOURCE})
    made = make_mutants(both, [config("variants", file="v.jsonl")], tmp_path, tmp_path).mutants
    assert [(m.name, m.path, m.operator, m.category, m.status, m.planted) for m in made] == [
        ("bug", "b.py", "variant", "sign", "ok", True),
        ("same", "b.py", "none", "", "duplicate", False),
    ]


def test_rows_are_encoded_as_their_own_cookie_says(tmp_path: Path) -> None:
    texts = {"utf": "x = 'é'\n", "latin": "# coding: latin-1\nx = 'é'\n", "lone": "x = '\ud800'\n"}
    lines = [json.dumps({"id": name, "source": text}) for name, text in texts.items()]
    (tmp_path / "v.jsonl").write_text("\n".join(lines))
    made = make_mutants(subject(SOURCE), [config("variants", file="v.jsonl")], tmp_path, tmp_path)
    assert [(m.name, m.status) for m in made.mutants] == [
        ("utf", "ok"),
        ("latin", "ok"),
        ("lone", "uncompilable"),
    ]
    assert by_name(made)["latin"].source == texts["latin"].encode("latin-1")


def test_mistakes_in_rows_name_their_line(tmp_path: Path) -> None:
    rows = [{"id": "1"}, {"id": "2", "source": "x\n", "planted": "yes"}]
    (tmp_path / "v.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(ConfigError) as caught:
        make_mutants(subject(SOURCE), [config("variants", file="v.jsonl")], tmp_path, tmp_path)
    assert [line.removeprefix(f"{tmp_path}/v.jsonl:") for line in caught.value.problems] == [
        "1: key 'source' is missing",
        "2: planted is not a bool",
    ]
