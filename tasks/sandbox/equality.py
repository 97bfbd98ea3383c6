"""Owns when two code objects or two constants are the same, which `==` does not tell.

`1 == True == 1.0` and `0.0 == -0.0`, and `==` on code objects also compares line numbers (and, by
version, more positions), so a function below an inserted line would never be the same again.
"""

from __future__ import annotations
import __future__

from types import CodeType
from typing import Any

FUTURE_FLAGS = 0
for _name in __future__.all_feature_names:
    FUTURE_FLAGS |= getattr(__future__, _name).compiler_flag

_PLAIN = (
    "co_name",
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
    "co_code",
    "co_names",
    "co_varnames",
    "co_freevars",
    "co_cellvars",
)
_SINCE_3_11 = ("co_qualname", "co_exceptiontable")


def same_code(one: CodeType, other: CodeType, positions: bool = False) -> bool:
    """Equal instructions, names and constants, nested code included; the future features that a
    file was compiled under show in its instructions or nowhere.

    With `positions` also these features, the file name and every line and column.
    """
    if one is other:
        return True
    attributes = [*_PLAIN, *(a for a in _SINCE_3_11 if hasattr(one, a))]
    if any(getattr(one, a) != getattr(other, a) for a in attributes):
        return False
    if (one.co_flags ^ other.co_flags) & ~FUTURE_FLAGS:
        return False
    if positions and not _same_positions(one, other):
        return False
    return _same_sequence(one.co_consts, other.co_consts, positions)


def same_constant(one: Any, other: Any, positions: bool = False) -> bool:
    """Equal in type and value, also inside tuples, dicts and frozensets."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, CodeType):
        return same_code(one, other, positions)
    if isinstance(one, tuple):
        return _same_sequence(one, other, positions)
    if isinstance(one, dict):
        return list(one) == list(other) and all(same_constant(one[k], other[k]) for k in one)
    if isinstance(one, frozenset):
        return sorted(map(repr, one)) == sorted(map(repr, other))
    if isinstance(one, (float, complex)):
        return repr(one) == repr(other)
    return bool(one == other)


def _same_sequence(one: tuple[Any, ...], other: tuple[Any, ...], positions: bool) -> bool:
    return len(one) == len(other) and all(
        same_constant(a, b, positions) for a, b in zip(one, other, strict=True)
    )


def _same_positions(one: CodeType, other: CodeType) -> bool:
    return (
        one.co_filename == other.co_filename
        and one.co_flags == other.co_flags
        and one.co_firstlineno == other.co_firstlineno
        and _line_table(one) == _line_table(other)
    )


def _line_table(code: CodeType) -> bytes:
    # From 3.11 on the line table holds columns too; `co_linetable` exists from 3.10 on.
    return code.co_linetable
