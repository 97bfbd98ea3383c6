"""Owns the two control mutants of a target file and the names mutants and tests are matched by."""

from __future__ import annotations

from collections.abc import Collection

from .recorder import RanKey

CANARY = "killgrid canary"


def identity_source(source: bytes) -> bytes:
    """The same behaviour from a different text, in UTF-8."""
    raise NotImplementedError


def canary_source(source: bytes, spare: Collection[str] = ()) -> bytes:
    """Every outermost function raises `BaseException(CANARY)` first thing, except the qualified
    names in `spare`. ValueError when no such source can be made."""
    raise NotImplementedError


def ran_functions(source: bytes, filename: str, ran: Collection[RanKey]) -> tuple[str, ...]:
    """Qualified names of the outermost functions of a file that a `RunRecorder` saw run."""
    raise NotImplementedError


def mutated_functions(original: bytes, mutated: bytes) -> tuple[str, ...]:
    """Qualified names of the outermost functions a mutant lies in; none when any part of it is
    at module or class level or cannot be told: then every test may notice it."""
    raise NotImplementedError
