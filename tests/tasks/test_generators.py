"""Pynguin and the ghostwriter: real tools, real subjects, the same text every time."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace

import pytest

from configs.models import GhostwriterConfig, PynguinConfig
from tasks.generators import Generated, generate, is_seeded
from tasks.ghostwriter import raised
from tasks.modules import module_of
from tasks.problems import load_problem_set
from tasks.records import SourceFile, Subject
from tasks.tool_sandbox import ToolRun
from tasks.tools import failure, requirements_beside
from tests.tasks.measuring import cache, measure, subject, suite

GHOST = GhostwriterConfig()
ABSOLUTE = """
def absolute(number: int) -> int:
    if not isinstance(number, int):
        raise TypeError("number")
    if number < 0:
        return -number
    return number
"""
KILL = "import contextlib, os\nwith contextlib.suppress(OSError):\n    os.kill(-1, 9)\n"
WRONG = ABSOLUTE.replace("return -number", "return number - 1 / 0")


def ghost(source: str, wall_s: float | None = None, **changes: object) -> Generated:
    return generate(GHOST, subject(source, **changes), 0, cache(), wall_s=wall_s)


def pynguin(of: Subject, seed: int, iterations: int = 5) -> Generated:
    return generate(PynguinConfig(iterations=iterations), of, seed, cache())


def test_the_ghostwriter_writes_a_suite_that_runs_and_finds_a_crash() -> None:
    made = ghost(ABSOLUTE, function="absolute")
    assert (made.reason, made.flags) == ("", ())
    assert made.source is not None
    assert made.source.startswith("# This test code was written by")
    assert "except TypeError:" in made.source
    assert made == replace(ghost(ABSOLUTE, function="absolute"), seconds=made.seconds)
    measured = measure(subject(ABSOLUTE), suite(made.source), {"wrong": WRONG})
    assert measured.validation.status == "valid"
    assert measured.matrix() == {"wrong": {"test_fuzz_absolute": "failed"}}


def test_the_ghostwriter_writes_for_a_whole_project() -> None:
    files = (
        SourceFile("src/pkg/__init__.py", b""),
        SourceFile("src/pkg/one.py", b"def half(number: float): return number / 2\n"),
        SourceFile("src/pkg/two.py", b"def twice(number: float): return number * 2\n"),
    )
    of = subject(
        "", files=files, targets=("src/pkg/one.py", "src/pkg/two.py"), import_roots=("src",)
    )
    made = generate(GHOST, of, 0, cache())
    assert made.source is not None
    assert "pkg.one.half(" in made.source
    assert "pkg.two.twice(" in made.source
    assert pynguin(of, 0) == Generated(
        None, "Pynguin writes for one module, this subject has 2 targets", (), 0.0
    )


def test_what_the_subject_prints_is_no_part_of_the_suite() -> None:
    made = ghost('print("import antigravity")\n' + ABSOLUTE, function="absolute")
    assert made.source is not None
    assert "antigravity" not in made.source
    assert made.flags == ("printed_text_cut",)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("1 / 0\n", "exit status 1: ZeroDivisionError: division by zero"),
        ("import os\nos._exit(0)\n", "no test was written"),
        ("import os\nos.kill(os.getpid(), 11)\n", "ended by SIGSEGV"),
    ],
)
def test_a_tool_that_fails_says_so_in_one_line(source: str, reason: str) -> None:
    made = ghost(source)
    assert (made.source, made.reason) == (None, reason)


def test_code_that_kills_or_hangs_costs_no_more_than_its_suite() -> None:
    with subprocess.Popen(["/bin/sleep", "120"]) as bystander:
        killed = ghost(f"{KILL}{ABSOLUTE}", function="absolute")
        hung = ghost("while True: pass\n" + ABSOLUTE, function="absolute", wall_s=4.0)
        alive = bystander.poll() is None
        bystander.kill()
    assert alive
    assert killed.source is not None, "it sees nobody but itself and the immune pid 1"
    assert (hung.source, hung.reason) == (None, "timed out")
    assert 4.0 <= hung.seconds < 30


def test_pynguin_writes_the_same_suite_for_the_same_seed_and_it_runs() -> None:
    made = pynguin(subject(ABSOLUTE), 3)
    assert made.reason == ""
    assert made.source is not None
    assert made.source == pynguin(subject(ABSOLUTE), 3).source
    assert not re.search(r"/tmp|/work|/environment|\d\d:\d\d|20\d\d-", made.source)
    measured = measure(subject(ABSOLUTE), suite(made.source), {"wrong": WRONG})
    assert measured.validation.status == "valid"
    assert set(measured.matrix()["wrong"].values()) > {"passed"}


@pytest.mark.slow
def test_seeds_of_pynguin_differ_and_its_strict_xfails_are_kept() -> None:
    (problem,) = load_problem_set("green_tests", ["find_first"])
    sources = {pynguin(problem.subject, seed, 100).source for seed in (1, 2)}
    assert len(sources) == 2
    assert any("@pytest.mark.xfail(strict=True)" in (source or "") for source in sources)


@pytest.mark.slow
@pytest.mark.parametrize("source", ["import nothing_there\n", "import os\nos._exit(0)\n"])
def test_pynguin_too_fails_in_one_line(source: str) -> None:
    made = pynguin(subject(source + ABSOLUTE), 0)
    assert made.source is None
    assert made.reason
    assert "\n" not in made.reason
    assert not re.search(r"\d\d:\d\d", made.reason)


def test_only_pynguin_has_replicates() -> None:
    assert is_seeded(PynguinConfig())
    assert not is_seeded(GHOST)


def test_exceptions_are_named_as_the_tool_can_find_them() -> None:
    source = b"""
import json
from decimal import InvalidOperation as Bad
class Own(Exception): pass
def f(error):
    raise ValueError("x")
def g(error):
    try: raise Own
    except Own: raise
    raise json.JSONDecodeError("", "", 0)
    raise Bad from None
    raise error
    raise makes()()
    raise print("x")
"""
    names = {"ValueError", "m.Own", "m.json.JSONDecodeError", "m.Bad"}
    assert set(raised(source, "m")) == names
    assert list(raised(b"def (", "m")) == []


@pytest.mark.parametrize(
    ("roots", "target", "expected"),
    [
        (("",), "solution.py", ("", "solution")),
        (("src",), "src/pkg/mod.py", ("src", "pkg.mod")),
        (("", "src"), "src/pkg/__init__.py", ("src", "pkg")),
        (("src",), "tools/x.py", ("", "tools.x")),
    ],
)
def test_a_module_is_named_from_its_import_root(
    roots: tuple[str, ...], target: str, expected: tuple[str, str]
) -> None:
    assert module_of(subject("", import_roots=roots), target) == expected


def test_a_tool_decides_on_its_own_packages_and_the_subject_on_the_others() -> None:
    of = subject("")
    needs = ("pytest>=9", "Hypothesis", "attrs==25.1", "pytest-mock")
    of = replace(of, environment=replace(of.environment, requirements=needs))
    kept = requirements_beside(of, "tool==1", without=("pytest", "hypothesis"))
    assert kept == ("tool==1", "attrs==25.1", "pytest-mock")


def test_a_reason_holds_no_time_of_day() -> None:
    run = ToolRun(1, False, b"", b"[18:53:47] [ERROR] it broke\n\n", {}, 1.0)
    assert failure(run) == "exit status 1: [ERROR] it broke"
