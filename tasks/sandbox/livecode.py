"""Owns the live functions of the target files: whether swapping is sound, and the swap itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from .codediff import Change
from .recorder import RanKey


class ActivationError(AssertionError):
    """The live code is not the mutant's after a swap."""


class LiveCode:
    """Built once after collection, before forking and before `gc.freeze` (it unfreezes).

    `filenames` are absolute paths of the targets as their modules were loaded; `ran` is what
    `RunRecorder.stop` gave (None refuses everything).
    """

    def __init__(self, filenames: Collection[str], ran: Collection[RanKey] | None) -> None:
        raise NotImplementedError

    def refusal(self, change: Change) -> str:
        """Why this change may not be swapped; empty when it is sound."""
        raise NotImplementedError

    def swappable(self, changes: Iterable[Change]) -> tuple[Change, ...]:
        """Those changes whose swap is sound: what the controls swap."""
        raise NotImplementedError

    def apply(self, changes: Iterable[Change]) -> None:
        """Put the mutants' code and defaults into every live function. In a forked child only."""
        raise NotImplementedError

    def assert_live(self, changes: Iterable[Change]) -> None:
        """ActivationError unless every live function holds the mutant's code and defaults."""
        raise NotImplementedError
