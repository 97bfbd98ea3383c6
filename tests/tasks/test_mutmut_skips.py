"""What mutmut leaves alone is listed, with the reason that holds in its release."""

import ast
from pathlib import Path

from tests.tasks.mutant_helpers import TRAPS, mutmut_set, subject

SKIPPED = [
    ("<module>", "module level: 3 statements"),
    ("conditional", "defined at module level under `if`"),
    ("cached", "decorated with @functools.lru_cache"),
    ("waits.wrapped", "decorated with @functools.wraps inside a function"),
    ("", "# pragma: no mutate"),
    ("Color", "class attributes: 1 statement"),
    ("Color.__init__", "called while the enum is made"),
    ("Shape", "class attributes: 2 statements"),
    ("Shape.__new__", "mutmut never mutates __new__"),
    ("Shape.size", "decorated with @property"),
    ("Shape.Inner", "nested class, with 1 method"),
    ("Shape.maybe", "defined in a class body under `if`"),
    ("Point", "class attributes: 1 statement"),
    ("Compact", "class attributes: 1 statement"),
]


def test_what_is_skipped_is_listed_with_its_reason(tmp_path: Path) -> None:
    skipped = mutmut_set(subject(TRAPS), tmp_path).skipped
    assert {each.path for each in skipped} == {"pkg/mod.py"}
    assert [(each.name, each.reason) for each in skipped] == SKIPPED
    lines = TRAPS.splitlines()
    assert lines[skipped[2].line - 1] == "def cached(n):"
    assert "pragma" in lines[skipped[4].line - 1]


def test_what_is_skipped_depends_on_the_release(tmp_path: Path) -> None:
    skipped = mutmut_set(subject(TRAPS), tmp_path, version="3.6.0").skipped
    expected = [each for each in SKIPPED if each[0] != "Color.__init__"]
    point = expected.index(("Point", "class attributes: 1 statement"))
    expected[point] = ("Point", "class decorated with @dataclass, with 1 method")
    assert [(each.name, each.reason) for each in skipped] == expected


def test_every_function_is_mutated_or_listed(tmp_path: Path) -> None:
    made = mutmut_set(subject(TRAPS), tmp_path)
    for node in ast.walk(ast.parse(TRAPS)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = range(node.lineno, (node.end_lineno or 0) + 1)
            mutated = any(mutant.line in lines for mutant in made.mutants)
            listed = any(each.line in lines for each in made.skipped)
            assert mutated or listed or node.name == "deep", node.name
