"""Owns compiling one function apart from its file, at the lines it has there.

A mutant differs from its original inside one function nearly always; the cost of looking at it is
then that of the function, not of the file. The function is compiled under bare headers: `class
Name:` for a class, which decides private names, `__class__` and the qualified name, and `if 1:`
for any other statement around it, which decides nothing. An import of the module's imported names
comes first: CPython calls methods of such names by other instructions.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from .functions import Outermost

_NEWLINE = re.compile(rb"\r\n?|\n")


@dataclass(frozen=True)
class Block:
    """One function's whole lines, `source[start:end]`, and the text compiled in front of them."""

    start: int
    end: int
    head: str

    def cut(self, source: bytes, mutated: bytes) -> bytes | None:
        """What stands in the mutated file for this block; None when more than the block differs
        or lines would merge at its edges."""
        tail = source[self.end :]
        stop = len(mutated) - len(tail)
        if stop <= self.start or mutated[: self.start] != source[: self.start]:
            return None
        body = mutated[self.start : stop]
        if mutated[stop:] != tail or (source[self.start - 1 : self.start] + body[:1]) == b"\r\n":
            return None
        ended = body.endswith((b"\n", b"\r")) and body[-1:] + tail[:1] != b"\r\n"
        return body if ended or not tail else None


def line_starts(source: bytes) -> list[int]:
    """Offsets of the first byte of each line, and the length of the source as the last one."""
    starts = [0, *(match.end() for match in _NEWLINE.finditer(source))]
    return starts if starts[-1] == len(source) else [*starts, len(source)]


def make_block(
    found: Outermost, source: bytes, starts: list[int], imported: frozenset[str]
) -> Block | None:
    """The block of one function; None where its text cannot be cut out with certainty.

    `starts` are the `line_starts` of the source, `imported` the `imported_names` of its module.
    """
    first, last = found.firstlineno, found.lineno_end
    # The first two lines may come to hold a coding cookie.
    if first <= 2 or any(getattr(n, "type_params", ()) for n in (*found.parents, found.node)):
        return None
    before = source[starts[first - 2] : starts[first - 1]].rstrip(b"\r\n")
    if before.endswith(b"\\"):
        return None
    lines = [""] * (first - 1)
    lines[0] = f"import {', '.join(sorted(imported))}" if imported else ""
    for lineno, header in _headers(found.parents, source, starts):
        if lines[lineno - 1]:
            return None
        lines[lineno - 1] = header
    return Block(starts[first - 1], starts[last], "\n".join(lines) + "\n")


def _headers(
    parents: tuple[ast.stmt, ...], source: bytes, starts: list[int]
) -> list[tuple[int, str]]:
    headers: list[tuple[int, str]] = []
    columns: list[int] = []
    for parent in parents:
        # An `elif` is a statement inside an `if` of its own column.
        while columns and columns[-1] >= parent.col_offset:
            columns.pop()
            headers.pop()
        start = starts[parent.lineno - 1]
        indent = source[start : start + parent.col_offset].decode("latin-1")
        name = f"class {parent.name}:" if isinstance(parent, ast.ClassDef) else "if 1:"
        headers.append((parent.lineno, indent + name))
        columns.append(parent.col_offset)
    return headers
