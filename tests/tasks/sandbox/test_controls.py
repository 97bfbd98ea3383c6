from __future__ import annotations

import ast
import asyncio
import os
import random
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from tasks.sandbox.codediff import Original, Refusal
from tasks.sandbox.controls import (
    CANARY,
    canary_source,
    identity_source,
    mutated_functions,
    ran_functions,
)
from tasks.sandbox.functions import outermost_functions
from tasks.sandbox.recorder import RunRecorder

SOURCE = b'''\
"""Module docstring."""
from __future__ import annotations

import contextlib
import functools


def helper(n):  # runs on import
    return n


TABLE = {n: helper(n) for n in range(3)}
double = lambda n: n * 2
COUNT = 0


def wraps(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args)

    return inner


@wraps
def decorated(a, /, b=1, *, c=2):
    """Documented: "quoted" \\\\ and 'more'."""
    return a + b + c


class Base:
    registry = []

    def __init_subclass__(cls):
        cls.registry.append(cls.__name__)

    def __init__(self):
        """Only a docstring."""

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, given):
        if given:
            self._value = given

    @classmethod
    def make(cls): return cls()

    class Inner:
        @staticmethod
        def deep(): "doc"; return __class__


class Child(Base):
    def __init__(self):
        super().__init__()
        self.name = f"{TABLE[1]!r:>{10}} {'x' * 2}"

    async def later(self):
        return 1

    async def stream(self):
        yield 1


def count():
    global COUNT
    COUNT += 1

    def inner():
        nonlocal_ = 1

        def innermost():
            nonlocal nonlocal_
            nonlocal_ = 2

        innermost()
        return nonlocal_

    return inner()


def generated():
    yield from (1, 2)


@contextlib.contextmanager
def managed():
    try:
        yield
    except Exception:
        pass


def matched(value):
    match value:
        case {"a": [1, *rest]}:
            return rest
        case str() | None:
            return value


if TABLE:

    def guarded():
        return 1
'''

CANARY_CALLS = [
    "decorated(1)",
    "Base()",
    "Base.value.fget(None)",
    "Base.value.fset(None, 0)",
    "Base.make()",
    "Base.Inner.deep()",
    "Child()",
    "asyncio.run(Child.later(None))",
    "asyncio.run(anext(Child.stream(None)))",
    "count()",
    "list(generated())",
    "managed().__enter__()",
    "matched('')",
    "guarded()",
]
RAN = ("helper", "wraps", "Base.__init_subclass__")


def run(source: bytes) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "module", "asyncio": asyncio}
    exec(compile(source, "module.py", "exec", dont_inherit=True), space)
    return space


def test_identity_changes_every_line_and_nothing_else() -> None:
    identity = identity_source(SOURCE)
    assert identity != SOURCE
    assert b"runs on import" not in identity
    assert ast.dump(ast.parse(identity)) == ast.dump(ast.parse(SOURCE))
    assert Original(SOURCE, "m.py").changes(identity) is not None
    assert run(identity)["decorated"].__doc__ == run(SOURCE)["decorated"].__doc__


@pytest.mark.parametrize(
    "source",
    [
        b"x = 1\n",
        b"x = 1",
        b"x = 1\r\n",
        b"",
        b"# comment",
        b"# coding: latin-1\nx = '\xe9'\n",
        b"\xef\xbb\xbfx = '\xc3\xa9'\r\n",
        b"x = '\\ud800'\n",
        b"x = '\\d'\n",
        b"def f(:\n",
        b"'''\n# coding: nonsense\n'''\n",
    ],
)
def test_identity_is_another_text_of_the_same_code(source: bytes) -> None:
    identity = identity_source(source)
    assert identity != source
    try:
        before = compile(source, "m.py", "exec")
    except SyntaxError:
        return
    assert compile(identity, "m.py", "exec").co_consts == before.co_consts


STDLIB = Path(sysconfig.get_paths()["stdlib"])
FILES = [path for path in sorted(STDLIB.glob("*.py")) if path.stat().st_size < 30_000]


@pytest.mark.parametrize("path", random.Random(4).sample(FILES, 20), ids=lambda path: path.stem)
def test_controls_of_real_files_swap(path: Path) -> None:
    source = path.read_bytes()
    original = Original(source, str(path))
    identity = original.pairs(identity_source(source))
    assert not isinstance(identity, Refusal)
    canary = original.changes(canary_source(source))
    assert not isinstance(canary, Refusal)
    assert [c.qualname for c in canary] == [c.qualname for c in identity]


@pytest.mark.parametrize("call", CANARY_CALLS)
def test_every_function_of_the_canary_raises(call: str) -> None:
    space = run(canary_source(SOURCE, RAN))
    with pytest.raises(BaseException, match=CANARY) as raised:
        eval(call, space)
    assert not isinstance(raised.value, Exception)


def test_the_canary_leaves_out_what_runs_on_import() -> None:
    space = run(canary_source(SOURCE, RAN))
    assert space["helper"](1) == 1
    assert space["double"](2) == 4
    assert space["Base"].registry == ["Child"]
    assert space["decorated"].__doc__ == run(SOURCE)["decorated"].__doc__
    with pytest.raises(BaseException, match=CANARY):
        run(canary_source(SOURCE))


def test_the_canary_keeps_kind_and_free_variables() -> None:
    found = Original(SOURCE, "m.py").changes(canary_source(SOURCE))
    assert not isinstance(found, Refusal)
    names = {found.qualname for found in outermost_functions(ast.parse(SOURCE))}
    assert {change.qualname for change in found} == names


def test_a_canary_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="does not parse"):
        canary_source(b"def f(:\n")


def test_pytest_reports_the_canary_as_failures(tmp_path: Path) -> None:
    (tmp_path / "solution.py").write_bytes(canary_source(b"def f(n):\n    return int(n)\n"))
    (tmp_path / "test_it.py").write_text(
        "import unittest, pytest, asyncio\n"
        "from solution import f\n"
        "def test_value(): assert f('1') == 1\n"
        "def test_raises():\n    with pytest.raises(ValueError): f('x')\n"
        "def test_any():\n    with pytest.raises(Exception): f('x')\n"
        "def test_caught():\n    try:\n        f(1)\n    except Exception: pass\n"
        "class TestCase(unittest.TestCase):\n"
        "    def test_method(self): self.assertEqual(f(1), 1)\n"
        "async def later(): return f(1)\n"
        "def test_loop(): asyncio.run(later())\n"
        "def test_other(): pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "."]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert "6 failed, 1 passed" in done.stdout, done.stdout


def test_functions_that_ran_on_import_are_named(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    recorder = RunRecorder()
    recorder.start()
    exec(compile(SOURCE, str(path), "exec", dont_inherit=True), {"__name__": "module"})
    ran = recorder.stop()
    assert ran is not None
    assert ran_functions(SOURCE, str(path), ran) == RAN
    assert ran_functions(SOURCE, "elsewhere.py", ran) == ()


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("a + b", "a - b", ("decorated",)),
        ("nonlocal_ = 2", "nonlocal_ = 3", ("count",)),
        ("range(3)", "range(4)", ()),
        ("n * 2", "n * 3", ()),
        ("registry = []", "registry = [1]", ()),
        ("@wraps", "@staticmethod", ()),
        ("b=1", "b=2", ()),
        ("Documented", "Other", ()),
        ("yield from (1, 2)", "return (1, 2)", ()),
        ("a + b", "a + * b", ()),
        ("# runs on import", "# a comment", ()),
    ],
)
def test_a_mutant_is_told_by_the_functions_it_lies_in(
    old: str, new: str, names: tuple[str, ...]
) -> None:
    assert mutated_functions(SOURCE, SOURCE.replace(old.encode(), new.encode(), 1)) == names
