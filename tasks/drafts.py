"""What a mutant engine hands over before ids and statuses are worked out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Draft:
    """A mutant as its engine makes it; `source` is the complete mutated file."""

    engine: str
    engine_version: str
    name: str
    path: str
    source: bytes
    operator: str = ""
    category: str = ""
    planted: bool = False


@dataclass(frozen=True)
class Skipped:
    """Code that an engine leaves alone. `line` counts from 1; `name` is a qualified name."""

    path: str
    line: int
    name: str
    reason: str


@dataclass(frozen=True)
class Drafts:
    """All that one engine makes of one subject, in its own order."""

    mutants: tuple[Draft, ...]
    skipped: tuple[Skipped, ...] = ()
