"""Owns the two control mutants of a target file and the names mutants and tests are matched by."""

from __future__ import annotations

import ast
from collections.abc import Collection
from functools import lru_cache

from .codediff import Original, Refusal
from .functions import outermost_functions, parse
from .recorder import RanKey

CANARY = "killgrid canary"

# Not an Exception: neither `except Exception` in the subject nor `pytest.raises(ValueError)` in a
# test hides it, and pytest reports it as a failure, unlike KeyboardInterrupt and SystemExit.
_RAISE = f'raise BaseException("{CANARY}")'


@lru_cache(maxsize=16)
def identity_source(source: bytes) -> bytes:
    """The same behaviour from a different text, in UTF-8 and without comments; where such a text
    has no equal syntax tree, the old one with a comment added.
    """
    tree = parse(source)
    if tree is not None:
        text = _unparse(tree)
        if text and text != source:
            return text
    return source + (b"" if source.endswith((b"\n", b"\r")) else b"\n") + b"# identity\n"


def canary_source(source: bytes, spare: Collection[str] = ()) -> bytes:
    """Every outermost function raises `BaseException(CANARY)` first thing, except the qualified
    names in `spare` (those that run on import). The old body stays behind it, so that free
    variables and the kind of function do. ValueError when no such source can be made.
    """
    return _canary_source(source, frozenset(spare))


@lru_cache(maxsize=16)
def _canary_source(source: bytes, spare: frozenset[str]) -> bytes:
    tree = parse(source)
    if tree is None:
        raise ValueError("a source that does not parse has no canary")
    for found in list(outermost_functions(tree)):
        if found.qualname not in spare:
            place = 0 if ast.get_docstring(found.node) is None else 1
            found.node.body[place:place] = ast.parse(_RAISE).body
    text = _unparse(tree)
    if not text:
        raise ValueError("no text gives the canary's syntax tree")
    return text


def _unparse(tree: ast.Module) -> bytes:
    """The text of a syntax tree; empty when it does not read back as the same tree."""
    try:
        data = (ast.unparse(tree) + "\n").encode()
    except (ValueError, RecursionError):
        return b""
    again = parse(data)
    same = again is not None and ast.dump(again) == ast.dump(tree)
    return data if same else b""


def ran_functions(source: bytes, filename: str, ran: Collection[RanKey]) -> tuple[str, ...]:
    """Qualified names of the outermost functions of a file that a `RunRecorder` saw run."""
    tree = parse(source)
    # Before 3.11 the record has bare names; the line tells functions apart in any version.
    lines = {(name.rpartition(".")[2], line) for path, name, line in ran if path == filename}
    return tuple(
        found.qualname
        for found in (outermost_functions(tree) if tree else ())
        if (found.node.name, found.firstlineno) in lines
    )


def mutated_functions(original: bytes, mutated: bytes) -> tuple[str, ...]:
    """Qualified names of the outermost functions a mutant lies in; none when any part of it is
    at module or class level or cannot be told: then every test may notice it.
    """
    found = _original(original).changes(mutated)
    return () if isinstance(found, Refusal) else tuple(change.qualname for change in found)


@lru_cache(maxsize=16)
def _original(source: bytes) -> Original:
    return Original(source, "<original>")
