"""Ids of mutants: what changed and where, but not in which line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.changes import Hunk, hunks
from tasks.records import sha256


@dataclass(frozen=True)
class Scope:
    """A function or class; lines count from 0, `stop` is the first line after it."""

    name: str
    start: int
    stop: int


MODULE = Scope("", 0, 0)


def change_key(path: str, lines: Sequence[str], scopes: Sequence[Scope], region: Hunk) -> str:
    """Text that says which change this is, whatever was added to the file elsewhere.

    It holds the path, the innermost scope around the change, and for every hunk the old and new
    lines (without their line ends) and how many equal places come before it in the scope.
    """
    scope = enclosing(scopes, region)
    parts = [
        [_texts(hunk.old), _texts(hunk.new), _places_before(lines, scope, hunk)]
        for hunk in hunks(region)
    ]
    return json.dumps([path, scope.name, parts])


def mutant_id(key: str, occurrence: int) -> str:
    """`m-` and 12 hex digits; `occurrence` tells apart mutants that make the very same change."""
    return f"m-{sha256(f'{occurrence}:{key}'.encode())[:12]}"


def enclosing(scopes: Sequence[Scope], region: Hunk) -> Scope:
    """Innermost scope that holds the whole region, or the module."""
    first, last = region.start, region.start + max(len(region.old), 1)
    around = [scope for scope in scopes if scope.start <= first and last <= scope.stop]
    return min(around, key=lambda scope: scope.stop - scope.start, default=MODULE)


def _texts(lines: Sequence[str]) -> list[str]:
    return [line.rstrip("\r\n") for line in lines]


def _places_before(lines: Sequence[str], scope: Scope, hunk: Hunk) -> list[str | int]:
    """The hunk's first line of code, or the last one before it, and how often that came before.

    Blank lines and comments are passed over, so that adding some moves nothing.
    """
    inside = [line.strip() for line in lines[scope.start : hunk.start]]
    anchor = next(filter(_is_code, map(str.strip, hunk.old)), "")
    if not anchor:
        anchor = next(filter(_is_code, reversed(inside)), "")
    return [anchor, inside.count(anchor)]


def _is_code(stripped: str) -> bool:
    return bool(stripped) and not stripped.startswith("#")
