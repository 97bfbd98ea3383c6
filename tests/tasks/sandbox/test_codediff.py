from __future__ import annotations

import io
import random
import sysconfig
import tokenize
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.sandbox import codediff
from tasks.sandbox.codediff import Change, Original, Refusal, changed_functions
from tasks.sandbox.equality import same_code, same_constant

SOURCE = b'''\
"""Module."""
from __future__ import annotations
import json
from os import path

LIMIT = 3


def plain(a, b=1, *, c="x"):
    """Documented."""
    return a + b


class Outer:
    size = 4

    def method(self, key=lambda: 1):
        return super().__repr__() + str(self.__size)

    @property
    def value(self):
        return 1

    @value.setter
    def value(self, given):
        self._value = given

    class Inner:
        @staticmethod
        def deep(flag=None):
            return flag

    async def later(self):
        return json.dumps(1)


if LIMIT:
    def guarded():
        def inner():
            return 7
        return inner
elif LIMIT == 2:
    def other():
        return 8
else:
    try:
        def tried(xs=[]):
            return [x for x in xs]
    except ValueError:
        def handler():
            yield 1


@path.splitext
def decorated(n=1): return n
'''


def names(old: str, new: str) -> list[str] | str:
    mutated = SOURCE.replace(old.encode(), new.encode(), 1)
    assert mutated != SOURCE
    found = changed_functions(SOURCE, mutated, "/where/module.py")
    return found.reason if isinstance(found, Refusal) else [c.qualname for c in found]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("a + b", "a - b", "plain"),
        ("b=1", "b=2", "plain"),
        ('c="x"', 'c="XxX"', "plain"),
        ("    return a + b\n", "    if a:\n        return b\n    return a + b\n", "plain"),
        ("super().__repr__()", "super().__str__()", "Outer.method"),
        ("__size", "_size", "Outer.method"),
        ("return 1\n\n    @value.s", "return 2\n\n    @value.s", "Outer.value"),
        ("= given", "= None", "Outer.value"),
        ("return flag", "return not flag", "Outer.Inner.deep"),
        ("flag=None", "flag=''", "Outer.Inner.deep"),
        ("json.dumps(1)", "json.loads(1)", "Outer.later"),
        ("return 7", "return 8", "guarded"),
        ("return 8", "return 9", "other"),
        ("for x in xs]", "for x in xs if x]", "tried"),
        ("yield 1", "yield 2", "handler"),
        (": return n", ": return -n", "decorated"),
    ],
)
def test_a_changed_function_is_named(old: str, new: str, changed: str) -> None:
    assert names(old, new) == [changed]


def test_a_change_of_several_functions_names_each() -> None:
    mutated = SOURCE.replace(b"a + b", b"a - b").replace(b"return 7", b"return 6")
    found = changed_functions(SOURCE, mutated, "m.py")
    assert not isinstance(found, Refusal)
    assert [change.qualname for change in found] == ["plain", "guarded"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    return a + b", "    return (\n        a + b)"),
        ("    return a + b", "    # why\n    return a + b  # because"),
        ("LIMIT = 3", "LIMIT = 3  # three\n# and a line"),
        ("def plain(a, b=1", "def plain(a,\n    b=1"),
        ("b=1", "b=0x1"),
    ],
)
def test_a_change_of_text_alone_is_no_change(old: str, new: str) -> None:
    assert names(old, new) == []


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("LIMIT = 3", "LIMIT = 4", "outside of function bodies"),
        ("size = 4", "size = 5", "outside of function bodies"),
        ("@property", "@staticmethod", "outside of function bodies"),
        ("def plain(", "def renamed(", "outside of function bodies"),
        ("def plain(a, b=1", "def plain(b, a=1", "outside of function bodies"),
        ("def plain(a", "def plain(a: int", "outside of function bodies"),
        ("async def later", "def later", "outside of function bodies"),
        ("class Outer:", "def added():\n    pass\n\n\nclass Outer:", "outside of function"),
        ("key=lambda: 1", "key=lambda: 2", "outside of function bodies"),
        ("xs=[]", "xs=[1]", "outside of function bodies"),
        ("xs=[]", "xs=None", "outside of function bodies"),
        ("b=1", "b=LIMIT", "outside of function bodies"),
        ("b=1", "b=[]", "outside of function bodies"),
        ("annotations\n", "annotations, division\n", "outside of function bodies"),
        ("Documented", "Changed", "docstring"),
        ("super().__repr__()", "object.__repr__(self)", "free variables"),
        ("return 1\n\n    @value.s", "yield 1\n\n    @value.s", "kind of function"),
        ("yield 1", "return 1", "kind of function"),
        ("n=1", "n=2", "decorated"),
        ("a + b", "a +", "does not compile: SyntaxError"),
        ("    return a + b", "return a + b", "does not compile"),
        ("a + b", "a\0b", "does not compile"),
        ("a + b", "a is 1", "warnings"),
    ],
)
def test_what_a_swap_cannot_bring_about_is_refused(old: str, new: str, reason: str) -> None:
    found = names(old, new)
    assert isinstance(found, str)
    assert reason in found


def test_defaults_are_given_before_and_after() -> None:
    mutated = SOURCE.replace(b'b=1, *, c="x"', b"b=(-1, None), *, c=b''")
    (change,) = _changes(Original(SOURCE, "m.py"), mutated)
    assert change.swaps_defaults
    assert (change.original_defaults, change.original_kwdefaults) == ((1,), {"c": "x"})
    assert (change.defaults, change.kwdefaults) == (((-1, None),), {"c": b""})


@pytest.mark.parametrize(("one", "other"), [("1", "True"), ("0.0", "-0.0"), ("1", "1.0")])
def test_equal_defaults_of_another_type_or_sign_differ(one: str, other: str) -> None:
    source = f"def f(a={one}):\n    return a\n"
    found = changed_functions(source.encode(), source.replace(one, other).encode(), "m.py")
    assert not isinstance(found, Refusal)
    assert [change.swaps_defaults for change in found] == [True]


def test_a_mutant_inside_one_function_costs_no_compilation_of_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original = Original(SOURCE, "m.py")
    kinds = []
    read = codediff.read_version

    def spy(source: bytes | str, filename: str, flags: int = 0) -> object:
        kinds.append(type(source))
        return read(source, filename, flags)

    monkeypatch.setattr(codediff, "read_version", spy)
    assert _changes(original, SOURCE.replace(b"return 7", b"return 5"))
    assert _changes(original, SOURCE.replace(b"dumps(1)", b"dumps(2)"))
    assert kinds == [str] * 4
    original.changes(SOURCE.replace(b"LIMIT = 3", b"LIMIT = 4"))
    assert kinds[4:] == [bytes]


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        ("# coding: latin-1\n\n\ndef f():\n    return 'é'\n".encode("latin-1"), b"\xe9", b"\xe8"),
        (b"\xef\xbb\xbf# bom\n\n\ndef f():\n    return 1\n", b"1", b"2"),
        (b"\r\n\r\ndef f():\r\n    '''a\r\nb'''\r\n    return 1\r\n\r\nx = 1\r\n", b"1", b"2"),
        (b"\r\rdef f():\r    return 1\rx = 1\r", b"1", b"2"),
        ("\n\n\ndef f():\n    é = 'ß'; return 1\n".encode(), b"1", b"2"),
        (b"\n\nif 1:\n\tclass A:\n\t\tdef f(self):\n\t\t\treturn 1\n", b"return 1", b"return 2"),
        (b"\n\n\x0c\ndef f():\n    return 1\n\x0c\nx = 1\n", b"1", b"2"),
        (b"\n\ndef f():\n    return 1", b"1", b"2"),
        (b"def f():\n    return 1\n", b"1", b"2"),
        (b"#!x\ndef f():\n    return 1\n", b"1", b"2"),
        ("# coding: gbk\n\n\ndef f():\n    return '中'\n".encode("gbk"), b"\xd6", b"\xd7"),
        (b"\n\n\\\ndef f():\n    return 1\n", b"1", b"2"),
        (b"import a\nclass A:\n    def f(self):\n        return 1\n", b"1", b"2"),
    ],
)
def test_sources_are_read_as_python_reads_them(source: bytes, old: bytes, new: bytes) -> None:
    original = Original(source, "m.py")
    (change,) = _changes(original, source.replace(old, new, 1))
    assert change.original.co_firstlineno == change.mutated.co_firstlineno == change.firstlineno
    _assert_as_whole_file(original, source.replace(old, new, 1))


@pytest.mark.parametrize(
    "mutated",
    [
        b"\n\n\ndef f():\n    return 1\n    return 2\n\ndef g():\n    return 3\n",
        b"\n\n\ndef f():\n    return 1\n\ndef g():\n    return 3\n\ndef h(): pass\n",
        b"\n\n\ndef f():\n    return 1\n\ndef g():\n    return 3\n\n",
        b"\n\n\ndef f():\n    return 1\n\nx = 1\ndef g():\n    return 3\n",
        b"\n\n\ndef f():\n    return 1\n\n@f\ndef g():\n    return 3\n",
        b"\n\n\ndef f():\n    return 1\n\ndef g():\n    return 3\ng()\n",
        b"\n\n\ndef f():\n    return 1 if 1 else \\\n\ndef g():\n    return 3\n",
        b"\n\n\ndef f():\n    return '''1\n\ndef g():\n    return 3\n",
        b"\n\n\ndef f():\n    return 1\ndef g():\n    return 3\n",
        b"\n\n\ndef f():\n    return 1\n\ndef f():\n    return 1\n\ndef g():\n    return 3\n",
        b"\n\n\ndef g():\n    return 3\n",
        b"\n\n\n",
        b"",
    ],
)
def test_edits_at_the_edges_of_functions_are_seen_as_in_the_whole_file(mutated: bytes) -> None:
    source = b"\n\n\ndef f():\n    return 1\n\ndef g():\n    return 3\n"
    _assert_as_whole_file(Original(source, "m.py"), mutated)


def test_an_original_that_does_not_compile_refuses_everything() -> None:
    assert isinstance(changed_functions(b"def", b"x = 1", "m.py"), Refusal)


def test_deep_nesting_is_refused_or_answered() -> None:
    deep = b"x = " + b"-" * 100_000 + b"1\n"
    assert isinstance(changed_functions(b"x = 1\n", deep, "m.py"), Refusal)


STDLIB = Path(sysconfig.get_paths()["stdlib"])
FILES = [path for path in sorted(STDLIB.glob("*.py")) if path.stat().st_size < 60_000]


@pytest.mark.parametrize("path", random.Random(1).sample(FILES, 25), ids=lambda path: path.stem)
def test_a_function_compiled_apart_is_the_one_of_the_whole_file(path: Path) -> None:
    source = path.read_bytes()
    original = Original(source, str(path))
    lines = source.splitlines(keepends=True)
    pairs = original.pairs(source)
    assert not isinstance(pairs, Refusal)
    for pair in random.Random(2).sample(pairs, min(8, len(pairs))):
        mutated = _with_marker(lines, pair)
        if mutated is not None:
            _assert_as_whole_file(original, mutated)


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(random.Random(3).sample(FILES, 12)), st.integers(0), st.integers(0, 9))
def test_a_mutated_token_is_seen_as_in_the_whole_file(path: Path, at: int, how: int) -> None:
    source = path.read_bytes()
    tokens = [t for t in tokenize.tokenize(io.BytesIO(source).readline) if t.string.strip()][1:]
    token = tokens[at % len(tokens)]
    if token.start[0] != token.end[0]:
        return
    lines = source.splitlines(keepends=True)
    line = lines[token.start[0] - 1].decode()
    others = ["", "0", "None", "x", "+", "\n", "not", "'a'", f"({token.string})", "#"]
    line = line[: token.start[1]] + others[how] + line[token.end[1] :]
    lines[token.start[0] - 1] = line.encode()
    _assert_as_whole_file(_original(path), b"".join(lines))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(SOURCE)), st.integers(0, 40), st.binary(max_size=12))
def test_no_edit_of_bytes_makes_it_raise(start: int, length: int, new: bytes) -> None:
    mutated = SOURCE[:start] + new + SOURCE[start + length :]
    _assert_as_whole_file(Original(SOURCE, "m.py"), mutated)


_ORIGINALS: dict[Path, Original] = {}


def _original(path: Path) -> Original:
    return _ORIGINALS.setdefault(path, Original(path.read_bytes(), str(path)))


def _with_marker(lines: list[bytes], pair: Change) -> bytes | None:
    """The file with one more statement at the last line of a function that starts a statement."""
    last = max(line for _, _, line in pair.original.co_lines() if line)
    text = lines[last - 1]
    if not text.strip().startswith((b"return", b"raise", b"self.")):
        return None
    indent = text[: len(text) - len(text.lstrip())]
    return b"".join([*lines[: last - 1], indent + b"json = os.path(1)\n", *lines[last - 1 :]])


def _changes(original: Original, mutated: bytes) -> tuple[Change, ...]:
    found = original.changes(mutated)
    assert not isinstance(found, Refusal), found
    return found


def _assert_as_whole_file(original: Original, mutated: bytes) -> None:
    """`pairs` always compiles the whole file; `changes` only where it must."""
    found, pairs = original.changes(mutated), original.pairs(mutated)
    if isinstance(pairs, Refusal):
        assert found == pairs
        return
    assert not isinstance(found, Refusal), found
    expected = [p for p in pairs if p.swaps_defaults or not same_code(p.original, p.mutated)]
    assert [c.qualname for c in found] == [c.qualname for c in expected]
    for change, whole in zip(found, expected, strict=True):
        assert same_code(change.original, whole.original, positions=True)
        assert same_code(change.mutated, whole.mutated, positions=True)
        assert same_constant(change.defaults, whole.defaults)
        assert same_constant(change.kwdefaults, whole.kwdefaults)
