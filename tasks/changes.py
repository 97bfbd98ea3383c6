"""What differs between a source text and its mutated version, line by line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CONTEXT_LINES = 3
_TOKEN = re.compile(r"\w+|[^\w\s]+|\s+")
_HUNK = re.compile(r"@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")


@dataclass(frozen=True)
class Hunk:
    """Lines `old`, from index `start` (from 0) of the original, that became `new`."""

    start: int
    old: tuple[str, ...]
    new: tuple[str, ...]


def changed_region(old: Sequence[str], new: Sequence[str]) -> Hunk:
    """The one hunk from the first to the last changed line; empty if nothing changed."""
    limit = min(len(old), len(new))
    start = 0
    while start < limit and old[start] == new[start]:
        start += 1
    tail = 0
    while tail < limit - start and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return Hunk(start, tuple(old[start : len(old) - tail]), tuple(new[start : len(new) - tail]))


def hunks(region: Hunk) -> Iterator[Hunk]:
    """The separate changes inside a region, without the unchanged lines between them."""
    if min(len(region.old), len(region.new)) < 2:
        yield region
        return
    matcher = difflib.SequenceMatcher(None, region.old, region.new, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            yield Hunk(region.start + i1, region.old[i1:i2], region.new[j1:j2])


def position(region: Hunk) -> tuple[int, int]:
    """Line and column, both from 1, of the first token of the original that changed."""
    if not region.old or not region.new:
        return region.start + 1, 1
    column = 1
    new_tokens = _TOKEN.findall(region.new[0])
    for index, token in enumerate(_TOKEN.findall(region.old[0])):
        if index >= len(new_tokens) or token != new_tokens[index]:
            break
        column += len(token)
    return region.start + 1, column


def unified_diff(path: str, old: Sequence[str], new: Sequence[str], region: Hunk) -> str:
    """Unified diff of a file; only the region and its context are compared, so it costs little."""
    start = max(0, region.start - CONTEXT_LINES)
    stop = region.start + CONTEXT_LINES
    before, after = old[start : stop + len(region.old)], new[start : stop + len(region.new)]
    lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}", n=CONTEXT_LINES)
    return "".join(_finished(_shifted(line, start)) for line in lines)


def _shifted(line: str, by: int) -> str:
    match = _HUNK.match(line)
    if match is None:
        return line
    old, old_count, new, new_count = match.groups(default="")
    return f"@@ -{int(old) + by}{old_count} +{int(new) + by}{new_count} @@\n"


def _finished(line: str) -> str:
    return line if line[-1] in "\r\n" else f"{line}\n\\ No newline at end of file\n"
