"""The values of a prompt, for subjects of every kind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from configs.errors import ConfigError
from tasks.contexts import prompt_context
from tasks.modules import module_of
from tasks.problems import load_problem_set
from tasks.records import Mutant, SourceFile, Subject

(SLUGIFY,) = load_problem_set("green_tests", ["slugify"])


def project(source: str, path: str = "src/pkg/mod.py", **fields: object) -> Subject:
    subject = Subject(
        "p-1", "p", "project", (SourceFile(path, source.encode()),), (path,), import_roots=("src",)
    )
    return replace(subject, **fields)  # type: ignore[arg-type]


def mutant(name: str, source: str, path: str = "solution.py", **fields: object) -> Mutant:
    made = Mutant(
        name, SLUGIFY.subject.subject_id, "variants", "", name, "", "", path, 1, 0, "",
        source.encode(),
    )  # fmt: skip
    return replace(made, **fields)  # type: ignore[arg-type]


def test_a_problem_has_every_value_but_those_of_a_repair() -> None:
    context = prompt_context(SLUGIFY.subject, (), cap=3)
    assert (context["module"], context["function"], context["cap"]) == ("solution", "slugify", 3)
    assert context["signature"] == "def slugify(title, max_length=50):"
    assert context["docstring"].startswith("Return `title` as a slug")
    assert context["issue"] == SLUGIFY.issue
    assert not {"tests", "failures"} & set(context)
    assert context["docstring_beside_code"] == context["docstring_beside_specification"] == ""


def test_the_first_planted_mutant_that_compiles_is_the_code() -> None:
    mutants = [
        mutant("other", "def slugify(): 1\n"),
        mutant("broken", "def slugify(: 2\n", planted=True, status="uncompilable"),
        mutant("first", "def slugify(): 3\n", planted=True),
        mutant("second", "def slugify(): 4\n", planted=True),
    ]
    context = prompt_context(SLUGIFY.subject, mutants)
    assert context["code"] == "def slugify(): 3\n"
    assert context["signature"] == "def slugify(title, max_length=50):"
    # The planted version lost its docstring, so that the prompt has to give it.
    assert context["docstring_beside_code"] == SLUGIFY.subject.docstring
    assert context["docstring_beside_specification"] == ""


def test_a_docstring_given_apart_from_the_source_is_told_beside_it() -> None:
    subject = replace(
        SLUGIFY.subject,
        files=(SourceFile("solution.py", b"def slugify(): pass\n"),),
        docstring="Make a slug.",
    )
    context = prompt_context(subject, ())
    assert context["docstring_beside_code"] == "Make a slug."
    assert context["specification"] == "def slugify():\n    ...\n"


def test_a_project_is_shown_by_what_its_target_offers() -> None:
    context = prompt_context(project('"""Mod."""\ndef f(x):\n    return x\n'), ())
    assert (context["module"], context["function"]) == ("pkg.mod", "")
    assert context["specification"] == '"""Mod."""\n\n\ndef f(x):\n    ...\n'
    assert not {"signature", "issue"} & set(context)


@pytest.mark.parametrize(
    ("path", "roots", "module"),
    [
        ("solution.py", ("",), "solution"),
        ("src/pkg/mod.py", ("src",), "pkg.mod"),
        ("src/pkg/mod.py", ("", "src"), "pkg.mod"),
        ("src/pkg/__init__.py", ("src",), "pkg"),
        ("pkg/mod.py", ("src",), "pkg.mod"),
    ],
)
def test_the_module_is_named_from_its_import_root(
    path: str, roots: tuple[str, ...], module: str
) -> None:
    assert module_of(project("", path, import_roots=roots), path)[1] == module


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        (project("", targets=("a.py", "b.py")), "one module, and there are 2 targets"),
        (project("def f(:\n"), r"subject p: src/pkg/mod\.py does not parse: "),
    ],
)
def test_a_subject_that_no_suite_can_be_asked_for_is_refused(
    subject: Subject, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        prompt_context(subject, ())
