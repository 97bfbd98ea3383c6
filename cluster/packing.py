"""Owns how mutants travel: as the few bytes in which each differs from the subject's own file.

Thousands of mutants of one large file would otherwise carry it as many times.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tasks.records import Mutant, Subject


@dataclass(frozen=True)
class PackedMutant:
    """A mutant whose source is `head` bytes of the original, `middle`, and `tail` bytes of it."""

    mutant: Mutant
    head: int
    middle: bytes
    tail: int


def pack(subject: Subject, mutants: Iterable[Mutant]) -> tuple[PackedMutant, ...]:
    """Mutants without their sources; KeyError when one names a file the subject has not."""
    return tuple(_pack(subject.source(mutant.path), mutant) for mutant in mutants)


def unpack(subject: Subject, packed: Iterable[PackedMutant]) -> tuple[Mutant, ...]:
    """The mutants as they were."""
    return tuple(_unpack(subject.source(each.mutant.path), each) for each in packed)


def _pack(original: bytes, mutant: Mutant) -> PackedMutant:
    source = mutant.source
    head = _common(original, source)
    tail = _common(original[head:][::-1], source[head:][::-1])
    return PackedMutant(replace(mutant, source=b""), head, source[head : len(source) - tail], tail)


def _unpack(original: bytes, packed: PackedMutant) -> Mutant:
    tail = original[len(original) - packed.tail :]
    return replace(packed.mutant, source=original[: packed.head] + packed.middle + tail)


def _common(one: bytes, other: bytes) -> int:
    """Length of the common start, by halving: comparing slices is far faster than a loop."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
