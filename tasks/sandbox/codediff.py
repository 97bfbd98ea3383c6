"""Owns the difference between two versions of a file, as changed functions or a refusal.

A change of line numbers alone is no difference: tests that look at line numbers fail the identity
control. What a swap cannot bring about (docstrings, decorators, class attributes, computed
defaults, new functions, new compiler warnings) is refused.
"""

from __future__ import annotations

import io
import tokenize
from bisect import bisect_right
from dataclasses import dataclass
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_ITERABLE_COROUTINE
from types import CodeType
from typing import Any

from .blocks import Block, line_starts, make_block
from .equality import FUTURE_FLAGS, same_code, same_constant
from .functions import imported_names, outermost_functions
from .versions import Function, Version, read_version

_KIND = CO_GENERATOR | CO_COROUTINE | CO_ITERABLE_COROUTINE | CO_ASYNC_GENERATOR
# Any byte string cut at a line end decodes on its own in these.
_STATELESS = {"utf-8": "utf-8", "utf-8-sig": "utf-8", "iso-8859-1": "latin-1", "ascii": "ascii"}


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
    defaults: tuple[Any, ...] | None = None
    kwdefaults: dict[str, Any] | None = None
    swaps_defaults: bool = False
    original_defaults: tuple[Any, ...] | None = None
    original_kwdefaults: dict[str, Any] | None = None


class Original:
    """One target file, parsed and compiled once; `filename` is the absolute path it is loaded from.

    Never raises: an original that does not compile makes every question a `Refusal`.
    """

    def __init__(self, source: bytes, filename: str) -> None:
        self.source = source
        self.filename = filename
        self._version = _read(source, filename)
        self._blocks: list[Block] = []
        self._blocked: dict[Block, Function] = {}
        self._block_versions: dict[Block, Version | None] = {}
        if isinstance(self._version, Version):
            self._cut_blocks(self._version)

    def changes(self, mutated: bytes) -> tuple[Change, ...] | Refusal:
        """The functions whose behaviour differs; an empty tuple when none does."""
        found = self._changes_in_block(mutated)
        return self._changes_in_file(mutated, every=False) if found is None else found

    def pairs(self, mutated: bytes) -> tuple[Change, ...] | Refusal:
        """Every function with its counterpart, differing or not: for the controls."""
        return self._changes_in_file(mutated, every=True)

    def _changes_in_file(self, mutated: bytes, every: bool) -> tuple[Change, ...] | Refusal:
        original, changed = self._version, _read(mutated, self.filename)
        if isinstance(original, Refusal):
            return Refusal(f"original: {original.reason}")
        return changed if isinstance(changed, Refusal) else _compare(original, changed, every)

    def _changes_in_block(self, mutated: bytes) -> tuple[Change, ...] | None:
        """As `changes` where the difference is inside one function, and None wherever that is not
        certain, refusals included: the whole file decides then."""
        block = self._touched(mutated)
        body = None if block is None else block.cut(self.source, mutated)
        original = None if block is None else self._block_version(block)
        if block is None or body is None or original is None:
            return None
        changed = self._read_block(block, body)
        if isinstance(changed, Refusal):
            return None
        found = _compare(original, changed, every=False)
        return None if isinstance(found, Refusal) else found

    def _cut_blocks(self, version: Version) -> None:
        self._codec = _codec(self.source)
        self._flags = version.code.co_flags & FUTURE_FLAGS
        # A module's own `super` changes how its functions compile.
        if not self._codec or "super" in version.code.co_names:
            return
        starts, imported = line_starts(self.source), imported_names(version.tree)
        found = outermost_functions(version.tree)
        for outermost, function in zip(found, version.functions, strict=True):
            block = make_block(outermost, self.source, starts, imported)
            if block:
                self._blocks.append(block)
                self._blocked[block] = function
        self._blocks.sort(key=lambda block: block.start)

    def _touched(self, mutated: bytes) -> Block | None:
        """The block that holds the first byte that differs."""
        if not self._blocks:
            return None
        at = _common_prefix(self.source, mutated)
        index = bisect_right(self._blocks, at, key=lambda block: block.start) - 1
        return self._blocks[index] if index >= 0 else None

    def _block_version(self, block: Block) -> Version | None:
        """The original's block, None unless compiling it apart gave the very same code."""
        if block not in self._block_versions:
            version: Version | Refusal | None
            version = self._read_block(block, self.source[block.start : block.end])
            if isinstance(version, Refusal) or not self._agrees(version, self._blocked[block]):
                version = None
            self._block_versions[block] = version
        return self._block_versions[block]

    def _agrees(self, version: Version, function: Function) -> bool:
        if [f.qualname for f in version.functions] != [function.qualname]:
            return False
        apart = version.functions[0].code
        if apart is None or function.code is None:
            return False
        return same_code(apart, function.code, positions=True)

    def _read_block(self, block: Block, body: bytes) -> Version | Refusal:
        try:
            text = block.head + body.decode(self._codec)
        except ValueError:
            return Refusal("does not decode")
        return _read(text, self.filename, self._flags)


def changed_functions(
    original: bytes, mutated: bytes, filename: str
) -> tuple[Change, ...] | Refusal:
    """`Original(original, filename).changes(mutated)`, for a single question."""
    return Original(original, filename).changes(mutated)


def _read(source: bytes | str, filename: str, flags: int = 0) -> Version | Refusal:
    try:
        return read_version(source, filename, flags)
    except Exception as error:  # the compiler raises a dozen kinds on strange input
        return Refusal(f"does not compile: {type(error).__name__}: {error}".splitlines()[0])


def _codec(source: bytes) -> str:
    try:
        name, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    except SyntaxError:
        return ""
    return _STATELESS.get(name, "")


def _common_prefix(one: bytes, other: bytes) -> int:
    """Length of the longest common prefix, by bisection: comparing slices runs in C."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _compare(one: Version, other: Version, every: bool) -> tuple[Change, ...] | Refusal:
    if one.skeleton != other.skeleton:
        return Refusal("code outside of function bodies differs")
    if one.attributes != other.attributes:
        return Refusal("the attributes that methods assign differ")
    if one.warnings != other.warnings:
        return Refusal("the compiler's warnings differ")
    changes = []
    for before, after in zip(one.functions, other.functions, strict=True):
        reason = _unswappable(before, after)
        if reason:
            return Refusal(f"{before.qualname}: {reason}")
        change = _change(before, after, every)
        if change:
            changes.append(change)
    return tuple(changes)


def _unswappable(before: Function, after: Function) -> str:
    if before.docstring != after.docstring:
        return "the docstring differs"
    if before.code is None or after.code is None:
        return "" if before.code is after.code else "its code object is missing"
    if before.code.co_freevars != after.code.co_freevars:
        return "the free variables differ"
    if (before.code.co_flags ^ after.code.co_flags) & _KIND:
        return "the kind of function differs"
    if _same_defaults(before, after):
        return ""
    if False in (before.defaults, before.kwdefaults, after.defaults, after.kwdefaults):
        return "a default differs and not all of them are literals"
    # A decorator may have copied them: command lines and validators read signatures at once.
    return "a default of a decorated function differs" if before.decorated else ""


def _same_defaults(before: Function, after: Function) -> bool:
    return same_constant(before.defaults, after.defaults) and same_constant(
        before.kwdefaults, after.kwdefaults
    )


def _change(before: Function, after: Function, every: bool) -> Change | None:
    if before.code is None or after.code is None:
        return None
    swaps = not _same_defaults(before, after)
    if not every and not swaps and same_code(before.code, after.code):
        return None
    name, line = before.qualname, before.firstlineno
    if not swaps:
        return Change(name, line, before.code, after.code)
    return Change(
        name,
        line,
        before.code,
        after.code,
        after.defaults,
        after.kwdefaults,
        True,
        before.defaults,
        before.kwdefaults,
    )
