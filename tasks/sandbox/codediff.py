"""Owns the difference between two versions of a file, as changed functions or a refusal."""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType
from typing import Any, Union


@dataclass(frozen=True)
class Refusal:
    """Why a mutant cannot be activated by swapping code; one line."""

    reason: str


@dataclass(frozen=True)
class Change:
    """One outermost function that differs. With `swaps_defaults`, `defaults` and `kwdefaults`
    are the mutant's `__defaults__` and `__kwdefaults__`; the `original_` pair is what must be live.
    """

    qualname: str
    firstlineno: int
    original: CodeType
    mutated: CodeType
    defaults: Union[tuple[Any, ...], None] = None
    kwdefaults: Union[dict[str, Any], None] = None
    swaps_defaults: bool = False
    original_defaults: Union[tuple[Any, ...], None] = None
    original_kwdefaults: Union[dict[str, Any], None] = None


class Original:
    """One target file, parsed and compiled once; `filename` is the absolute path it is loaded from.

    Never raises: an original that does not compile makes every question a `Refusal`.
    """

    def __init__(self, source: bytes, filename: str) -> None:
        raise NotImplementedError

    def changes(self, mutated: bytes) -> Union[tuple[Change, ...], Refusal]:
        """The functions whose behaviour differs; an empty tuple when none does."""
        raise NotImplementedError

    def pairs(self, mutated: bytes) -> Union[tuple[Change, ...], Refusal]:
        """Every function with its counterpart, differing or not: for the controls."""
        raise NotImplementedError


def changed_functions(
    original: bytes, mutated: bytes, filename: str
) -> Union[tuple[Change, ...], Refusal]:
    """`Original(original, filename).changes(mutated)`, for a single question."""
    return Original(original, filename).changes(mutated)
