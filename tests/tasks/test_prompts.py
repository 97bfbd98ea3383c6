"""Prompts: what each condition tells and hides, and templates that are wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from configs.errors import ConfigError
from configs.prompt_files import PROMPTS
from configs.schema import MutantsConfig
from tasks.contexts import prompt_context, repair_context
from tasks.model_records import Message
from tasks.mutants import make_mutants
from tasks.problems import Problem, load_problem_set
from tasks.prompts import prompt_names, render, template_sha256
from tasks.repairs import Failure
from tasks.writers import make_suite

PROBLEMS = load_problem_set("green_tests")
WRITING = ["code_shown", "code_warned", "issue_given", "spec_only"]
CODE = [name for name in WRITING if name != "spec_only"]
by_name = pytest.mark.parametrize("problem", PROBLEMS, ids=lambda each: each.subject.name)


def context_of(problem: Problem, tmp_path: Path, cap: int | None = None) -> dict[str, Any]:
    variants = [MutantsConfig(engine="variants")]
    mutants = make_mutants(problem.subject, variants, tmp_path, tmp_path / "cache").mutants
    return prompt_context(problem.subject, mutants, cap)


def user(name: str, context: dict[str, Any], base: Path = PROMPTS) -> str:
    system, message = render(name, base, context)
    assert (system.role, message.role) == ("system", "user")
    return message.text


def body_lines(source: str, docstring: str) -> set[str]:
    """Lines of code that stand in no docstring and are more than a word or two."""
    told = {line.strip() for line in docstring.splitlines()}
    lines = {line.strip() for line in source.splitlines()} - told
    return {line for line in lines if len(line) > 6 and not line.startswith(('"""', "def "))}


def test_the_built_in_prompts_are_the_conditions_and_the_repair() -> None:
    assert prompt_names() == sorted([*WRITING, "repair"])


@by_name
def test_spec_only_tells_the_docstring_and_nothing_of_the_implementation(
    problem: Problem, tmp_path: Path
) -> None:
    text = user("spec_only", context_of(problem, tmp_path))
    prompt = text + render("spec_only", tmp_path, context_of(problem, tmp_path))[0].text
    for line in problem.subject.docstring.splitlines():
        assert line.strip() in text
    sources = [problem.subject.source("solution.py"), *(v.source for v in problem.variants)]
    for source in sources:
        leaked = {
            line
            for line in body_lines(source.decode(), problem.subject.docstring)
            if line in prompt
        }
        assert not leaked
    assert problem.planted.description not in prompt
    assert problem.issue not in prompt


@by_name
@pytest.mark.parametrize("name", CODE)
def test_code_conditions_show_the_planted_version_and_not_the_correct_one(
    problem: Problem, name: str, tmp_path: Path
) -> None:
    text = user(name, context_of(problem, tmp_path))
    assert problem.planted.source.decode().strip() in text
    assert problem.subject.source("solution.py").decode().strip() not in text
    assert text.count(problem.subject.docstring.splitlines()[0]) == 1
    assert problem.planted.description not in text
    assert (problem.issue in text) is (name == "issue_given")


def test_conditions_differ_only_where_they_are_meant_to(tmp_path: Path) -> None:
    context = context_of(PROBLEMS[0], tmp_path, cap=7)
    systems = {render(name, tmp_path, context)[0].text for name in WRITING}
    assert len(systems) == 1
    assert "at most 7 test functions" in systems.pop()
    shown = user("code_shown", context)
    for name in CODE[1:]:
        assert user(name, context).startswith(shown)
    task = shown.split("\n\n")[0]
    assert user("spec_only", context).split("\n\n")[0] == task
    words = ("bug", "wrong", "correct", "mistake", "fail", "planted", "mutant")
    system = render("spec_only", tmp_path, context)[0].text
    assert not [word for word in words if word in f"{task} {system}".lower()]


def test_without_a_cap_none_is_told(tmp_path: Path) -> None:
    assert "at most" not in render("spec_only", tmp_path, context_of(PROBLEMS[0], tmp_path))[0].text


def test_the_subjects_own_source_is_shown_where_nothing_is_planted(tmp_path: Path) -> None:
    problem = PROBLEMS[0]
    text = user("code_shown", prompt_context(problem.subject, ()))
    assert problem.subject.source("solution.py").decode().strip() in text


def test_code_that_holds_fences_stands_in_a_longer_one() -> None:
    subject = PROBLEMS[0].subject
    data = b'def f():\n    """Doc.\n\n    ````\n    x\n    ````\n    """\n'
    files = (replace(subject.files[0], data=data),)
    changed = replace(subject, files=files, function="f", docstring="Doc.\n\n````\nx\n````")
    text = user("code_shown", prompt_context(changed, ()))
    assert f"`````python\n{data.decode().strip()}\n`````" in text


def test_jinja_marks_in_code_are_only_text(tmp_path: Path) -> None:
    subject = PROBLEMS[0].subject
    data = b'def f():\n    """{{ code }} {% if %} <&>"""\n'
    changed = replace(
        subject, files=(replace(subject.files[0], data=data),), function="f", docstring="x"
    )
    assert "{{ code }} {% if %} <&>" in user("spec_only", prompt_context(changed, ()))


@pytest.mark.parametrize(
    ("name", "lacking", "message"),
    [
        ("issue_given", {"issue": ""}, "'issue' is undefined: the subject has no issue text"),
        ("repair", {}, "'failures' is undefined: it is only known when a suite is repaired"),
    ],
)
def test_a_prompt_that_needs_what_a_subject_lacks_says_so(
    name: str, lacking: dict[str, Any], message: str, tmp_path: Path
) -> None:
    subject = replace(PROBLEMS[0].subject, **lacking)
    with pytest.raises(ConfigError) as caught:
        render(name, tmp_path, prompt_context(subject, ()))
    (line,) = caught.value.problems
    assert line.startswith(str(PROMPTS / f"{name}.j2:"))
    assert line.endswith(f"{message} (subject {subject.name})")


@pytest.mark.parametrize("name", ["spec_only", "code_warned"])
def test_a_condition_about_the_docstring_needs_one(name: str, tmp_path: Path) -> None:
    subject = PROBLEMS[0].subject
    bare = replace(
        subject,
        files=(replace(subject.files[0], data=b"def f(): pass\n"),),
        function="f",
        docstring="",
    )
    with pytest.raises(ConfigError, match="the subject has no docstring"):
        render(name, tmp_path, prompt_context(bare, ()))
    assert "def f(): pass" in user("code_shown", prompt_context(bare, ()))


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("a\n{{ nothing }}\n", "own.j2:2: 'nothing' is undefined"),
        ("a\nb\n{% if %}\n", "own.j2:3: Expected an expression, got 'end of statement block'"),
        ("a\n{{ code | nofilter }}\n", "own.j2:2: No filter named 'nofilter'."),
        ("{{ 1 / 0 }}", "own.j2:1: division by zero"),
        ("a\n{{ code.__class__.__mro__ }}", "own.j2:2: access to attribute '__class__' of"),
        ("{% include 'x.j2' %}", "no prompt file x.j2 in "),
        ("{% include '../x.j2' %}", "no prompt file ../x.j2 in "),
        ("{% include '/etc/passwd' %}", "no prompt file /etc/passwd in "),
        ("{# nothing #}\n", "own.j2: the prompt is empty"),
        ("\n{% include '_task.j2' %}", "_task.j2:1: 'function' is undefined"),
        ("{% macro m(x) %}\n\n{{ x.y.z }}{% endmacro %}\n{{ m(1) }}", "own.j2:3: "),
    ],
)
def test_a_wrong_template_is_one_line_with_its_place(
    template: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "own.j2").write_text(template)
    with pytest.raises(ConfigError) as caught:
        render("own.j2", tmp_path, {"code": "x"})
    (line,) = caught.value.problems
    assert message in line
    assert "\n" not in line


def test_files_that_are_not_there_or_outside_or_not_utf8_are_refused(tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.mkdir()
    (tmp_path / "outside.j2").write_text("secret")
    (base / "link.j2").symlink_to(tmp_path / "outside.j2")
    (base / "latin.j2").write_bytes(b"caf\xe9")
    for name in ("../outside.j2", "link.j2", str(tmp_path / "outside.j2"), "none.j2", "none"):
        with pytest.raises(ConfigError, match="no prompt file"):
            render(name, base, {})
    with pytest.raises(ConfigError, match=r"latin\.j2: cannot be read: .*utf-8"):
        render("latin.j2", base, {})


def test_a_file_beside_the_config_is_the_user_message_under_the_common_rules(
    tmp_path: Path,
) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "own.txt").write_text('{% include "_task.j2" %} {% include "p/more.txt" %}')
    (tmp_path / "p" / "more.txt").write_text("Think of {{ module }}.")
    context = context_of(PROBLEMS[0], tmp_path)
    system, message = render("p/own.txt", tmp_path, context)
    assert system == render("spec_only", tmp_path, context)[0]
    assert message.text.endswith("the module `solution`. Think of solution.")


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    context = context_of(PROBLEMS[0], tmp_path)
    for text in ("one", "two"):
        (tmp_path / "own.j2").write_text(text)
        assert user("own.j2", context, tmp_path) == text
    (tmp_path / "own.j2").unlink()
    with pytest.raises(ConfigError, match="no prompt file"):
        render("own.j2", tmp_path, context)


def test_a_file_may_set_its_own_system_message(tmp_path: Path) -> None:
    (tmp_path / "own.j2").write_text("{% set system %}\nTest {{ module }}.\n{% endset %}\nDo it.\n")
    assert render("own.j2", tmp_path, {"module": "m"}) == (
        Message("system", "Test m."),
        Message("user", "Do it."),
    )


def test_a_prompt_has_another_hash_when_any_part_of_it_changes(tmp_path: Path) -> None:
    (tmp_path / "own.j2").write_text('{% include "part.j2" %}')
    (tmp_path / "part.j2").write_text("a")
    before = template_sha256("own.j2", tmp_path)
    assert template_sha256("own.j2", tmp_path) == before
    (tmp_path / "part.j2").write_text("b")
    assert template_sha256("own.j2", tmp_path) != before
    assert template_sha256("spec_only", tmp_path) != template_sha256("code_shown", tmp_path)
    (tmp_path / "own.j2").write_text("\n{% if %}")
    with pytest.raises(ConfigError, match=r"own\.j2:2: "):
        template_sha256("own.j2", tmp_path)


def test_a_repair_shows_failures_and_counts_those_there_is_no_room_for(tmp_path: Path) -> None:
    problem = PROBLEMS[0]
    own = make_suite("a", replace(problem.subject, targets=()), 0, problem.subject.files, ())
    failures = [Failure(f"t.py::test_{n}", "AssertionError", "x" * 200) for n in range(200)]
    few = repair_context(context_of(problem, tmp_path), own, failures[:2])
    text = user("repair", few)
    assert "- `t.py::test_0`: AssertionError\n\n  > xxx" in text
    assert "more of them" not in text
    assert "\nDECISION: fix tests\nDECISION: change code\n" in text
    many = user("repair", repair_context(few, own, failures))
    shown = many.count("AssertionError")
    assert 40 < shown < 200
    assert f"{200 - shown} more of them are not shown." in many
    assert len(many) < 20_000
