"""Owns the search for live functions of the target files and for whatever else knows their code."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any

from .equality import same_code

_INNER = "an inner function of it is alive"
LiveKey = tuple[str, str, int]  # co_filename, co_name, co_firstlineno
Functions = dict[LiveKey, list[FunctionType]]
Signature = tuple[tuple[str, ...], tuple[Any, ...]]  # parameters, defaults of the last ones
Strangers = Sequence[tuple[LiveKey, FunctionType]]


def live_key(code: CodeType) -> LiveKey:
    """What names a function's code in one file; the same for every copy of the module."""
    return code.co_filename, code.co_name, code.co_firstlineno


class Holders:
    """A picture of the process at one moment. `functions` holds the live functions of the target
    files; `reasons` says why some of these may not be swapped; `signatures` are those that
    somebody keeps as an `inspect.Signature`.

    What was frozen before any target was loaded is not looked at: no function of a target is among
    it, and a frozen container that took hold of one's code since shows in the count of references.
    """

    def __init__(self, filenames: Collection[str]) -> None:
        enabled = gc.isenabled()
        gc.disable()  # looking allocates enough to set off a collection
        self._look(filenames)
        if set(self.reasons.values()) - {_INNER}:
            gc.collect()  # what is only garbage is no reason; inner functions mostly are not
            self._look(filenames)
        if enabled:
            gc.enable()

    def _look(self, filenames: Collection[str]) -> None:
        objects = gc.get_objects()
        # Reading `__code__` raises an audit event, so each function is read once; and what is kept
        # of it is no code object, which would count as a holder.
        known = [(live_key(o.__code__), o) for o in objects if type(o) is FunctionType]
        self.signatures = list(_signatures(objects))
        del objects
        targets = frozenset(filenames)
        self.functions: Functions = {}
        for key, function in known:
            if key[0] in targets:
                self.functions.setdefault(key, []).append(function)
        strangers = [(key, function) for key, function in known if key[0] not in targets]
        self.reasons: dict[LiveKey, str] = {}
        self._note(_elsewhere(self.functions, strangers), "loaded under another path too")
        self._note(_copied(self.functions, strangers), "a copy of its code is live")
        self._note(_with_inner(self.functions), _INNER)
        self.shared_defaults = frozenset(_shared_defaults(self.functions, strangers))
        for key, live in self.functions.items():
            reason = _held_elsewhere(live)
            if reason:
                self._note([key], reason)

    def _note(self, keys: Iterable[LiveKey], reason: str) -> None:
        for key in keys:
            self.reasons.setdefault(key, reason)


def _signatures(objects: Sequence[Any]) -> Iterator[Signature]:
    inspect = sys.modules.get("inspect")
    if inspect is not None:
        for found in [o for o in objects if type(o) is inspect.Signature]:
            defaults = [parameter.default for parameter in found.parameters.values()]
            given = tuple(default for default in defaults if default is not found.empty)
            yield tuple(found.parameters), given


def _elsewhere(functions: Functions, strangers: Strangers) -> Iterator[LiveKey]:
    """Functions of a file that is also loaded by another name of it: a link, a relative path."""
    names = {os.path.basename(key[0]) for key in functions}
    others = {key[0] for key, _ in strangers}
    others = {other for other in others if os.path.basename(other) in names}
    aliased = {key[0] for key in functions for other in others if _same_file(key[0], other)}
    return (key for key in functions if key[0] in aliased)


def _same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False


def _copied(functions: Functions, strangers: Strangers) -> Iterator[LiveKey]:
    """Functions whose code was also compiled from a copy of the text.

    In a file on disk small functions are alike by chance, so there the line must agree as well.
    """
    by_name: dict[str, list[LiveKey]] = {}
    for key in functions:
        by_name.setdefault(key[1], []).append(key)
    for (filename, name, line), stranger in strangers:
        for key in by_name.get(name, ()):
            by_chance = line != key[2] and os.path.isfile(filename)
            if not by_chance and same_code(stranger.__code__, functions[key][0].__code__):
                yield key


def _with_inner(functions: Functions) -> Iterator[LiveKey]:
    alive = {id(f.__code__) for live in functions.values() for f in live}
    for key, live in functions.items():
        if any(id(code) in alive for f in live for code in _nested(f.__code__)):
            yield key


def _nested(code: CodeType) -> Iterator[CodeType]:
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from _nested(const)


def _shared_defaults(functions: Functions, strangers: Strangers) -> Iterator[LiveKey]:
    """Functions whose tuple of defaults a function of another file holds too."""
    own = {id(f.__defaults__) for live in functions.values() for f in live} - {id(None)}
    if not own:
        return
    taken = {id(stranger.__defaults__) for _, stranger in strangers} & own
    for key, live in functions.items():
        if any(id(f.__defaults__) in taken for f in live):
            yield key


def _held_elsewhere(live: Sequence[FunctionType]) -> str:
    """What holds the code besides these functions, by counting references: a generator, a frame,
    a tool's record, an untracked tuple; garbage collection cannot list all of these.
    """
    for function in live:
        holding = sum(other.__code__ is function.__code__ for other in live)
        if _references(function) - _own_references() != holding:
            return f"its code is held by {_describe(function.__code__)}"
    return ""


def _references(function: FunctionType) -> int:
    return sys.getrefcount(function.__code__)


def _own_references() -> int:
    """How many of the counted references are those of counting."""
    return _references(FunctionType(compile("0", "<count>", "eval"), {})) - 1


def _describe(code: CodeType) -> str:
    kinds = {type(o).__name__ for o in gc.get_referrers(code)}
    return ", ".join(sorted(kinds - {"function"})) or "something unknown"
