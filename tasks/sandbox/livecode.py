"""Owns the live functions of the target files: whether swapping is sound, and the swap itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType, FunctionType

from .codediff import Change
from .equality import same_code, same_constant
from .holders import Holders, LiveKey, live_key
from .recorder import RanKey


class ActivationError(AssertionError):
    """The live code is not the mutant's after a swap."""


class LiveCode:
    """Built once after collection, before forking and before `gc.freeze`.

    `filenames` are absolute paths of the targets as their modules were loaded; `ran` is what
    `RunRecorder.stop` gave (None refuses everything).
    """

    def __init__(self, filenames: Collection[str], ran: Collection[RanKey] | None) -> None:
        self._holders = Holders(filenames)
        self._ran: frozenset[LiveKey] | None = None
        if ran is not None:
            self._ran = frozenset((f, name.rpartition(".")[2], line) for f, name, line in ran)

    def refusal(self, change: Change) -> str:
        """Why this change may not be swapped; empty when it is sound."""
        reason = self._body_refusal(change)
        if not reason and change.swaps_defaults:
            reason = self._defaults_refusal(change)
        return f"{change.qualname}: {reason}" if reason else ""

    def swappable(self, changes: Iterable[Change]) -> tuple[Change, ...]:
        """Those changes whose swap is sound: what the controls swap."""
        return tuple(change for change in changes if not self.refusal(change))

    def apply(self, changes: Iterable[Change]) -> None:
        """Put the mutants' code and defaults into every live function. In a forked child only."""
        for change in changes:
            for function in self._live(change):
                function.__code__ = change.mutated
                if change.swaps_defaults:
                    function.__defaults__ = change.defaults
                    function.__kwdefaults__ = change.kwdefaults and dict(change.kwdefaults)

    def assert_live(self, changes: Iterable[Change]) -> None:
        """ActivationError unless every live function holds the mutant's code and defaults."""
        for change in changes:
            live = self._live(change)
            if not live or any(f.__code__ is not change.mutated for f in live):
                raise ActivationError(f"{change.qualname}: the live code is not the mutant's")
            if change.swaps_defaults and not all(
                _has_defaults(f, change.defaults, change.kwdefaults) for f in live
            ):
                raise ActivationError(f"{change.qualname}: the defaults are not the mutant's")

    def _live(self, change: Change) -> list[FunctionType]:
        return self._holders.functions.get(live_key(change.original), [])

    def _body_refusal(self, change: Change) -> str:
        key, live = live_key(change.original), self._live(change)
        if self._ran is None:
            return "the record of what ran before is incomplete"
        if key in self._ran:
            return "ran before the fork"
        if not live:
            return "no live function has this code"
        if not all(same_code(f.__code__, change.original, positions=True) for f in live):
            return "the live code is not what the file compiles to"
        return self._holders.reasons.get(key, "")

    def _defaults_refusal(self, change: Change) -> str:
        key, code = live_key(change.original), change.original
        if not all(
            _has_defaults(f, change.original_defaults, change.original_kwdefaults)
            for f in self._live(change)
        ):
            return "the live defaults are not those of the file"
        if key in self._holders.shared_defaults:
            return "another function took over its defaults"
        names = _parameters(code)
        values = change.original_defaults or ()
        values += tuple((change.original_kwdefaults or {}).values())
        for kept, given in self._holders.signatures:
            if kept in (names, names[1:]) and same_constant(given, values):
                return "somebody keeps its signature"
        return ""


def _parameters(code: CodeType) -> tuple[str, ...]:
    """Names of the parameters in the order of a signature."""
    positional, named = code.co_argcount, code.co_kwonlyargcount
    rest = iter(code.co_varnames[positional + named :])
    extra = (next(rest),) if code.co_flags & CO_VARARGS else ()
    last = (next(rest),) if code.co_flags & CO_VARKEYWORDS else ()
    names = code.co_varnames
    return names[:positional] + extra + names[positional : positional + named] + last


def _has_defaults(
    function: FunctionType, defaults: tuple[object, ...] | None, kwdefaults: object
) -> bool:
    return same_constant(function.__defaults__, defaults) and same_constant(
        function.__kwdefaults__, kwdefaults
    )
