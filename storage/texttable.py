"""Rows laid out as lines of text: aligned, printable whatever they hold, no wider than asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from rich.cells import cell_len, set_cell_size

GAP = "  "
# Longer cells are cut, so that one long message does not push all other columns away.
CELL_WIDTH = 72
# Texts of many lines, shown below their row; everywhere else a line break is shown as \n.
BLOCKS = frozenset({"diff", "source"})
INDENT = "    "

# Control and format characters, line separators and lone surrogates: a terminal acts on some and
# shows none.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff]"
)


class TextTable:
    """A table of values under column names; `width` None means as wide as it needs to be."""

    def __init__(
        self, names: Sequence[str], rows: Sequence[Sequence[Any]], width: int | None = None
    ) -> None:
        places = [place for place, name in enumerate(names) if name not in BLOCKS]
        places = places or list(range(len(names)))
        below = [place for place in range(len(names)) if place not in places]
        self.names = [printable(names[place]) for place in places]
        self.cells = [[_cut(printable(_text(row[place]))) for place in places] for row in rows]
        self.blocks = [[line for place in below for line in _block(row[place])] for row in rows]
        self.widths = [
            max([cell_len(name), *(cell_len(row[column]) for row in self.cells)])
            for column, name in enumerate(self.names)
        ]
        self.right = [_is_number([row[place] for row in rows]) for place in places]
        self.shown = self._fitting(width)

    def lines(self) -> Iterator[str]:
        """Header, rule and rows; then what there is to say about what is not shown."""
        if not self.names:
            return
        yield self._line(self.names)
        yield GAP.join("─" * width for width in self.widths[: self.shown])
        for row, block in zip(self.cells, self.blocks, strict=True):
            yield self._line(row)
            yield from block
        if not self.cells:
            yield "(no rows)"
        if left := self.names[self.shown :]:
            yield f"(columns that do not fit: {', '.join(left)})"

    def _line(self, row: Sequence[str]) -> str:
        parts = []
        for column, text in enumerate(row[: self.shown]):
            pad = " " * (self.widths[column] - cell_len(text))
            parts.append(pad + text if self.right[column] else text + pad)
        return GAP.join(parts).rstrip()

    def _fitting(self, width: int | None) -> int:
        """How many columns fit, from the left; at least one."""
        used = 0
        for place, needed in enumerate(self.widths):
            used += needed + (len(GAP) if place else 0)
            if width is not None and used > width:
                return max(1, place)
        return len(self.widths)


def printable(text: str) -> str:
    r"""Text with everything that a terminal would act on or hide as \n, \x1b or \u202e."""
    return _UNPRINTABLE.sub(lambda match: _escape(match.group()), text)


def _escape(character: str) -> str:
    short = {"\n": r"\n", "\t": r"\t", "\r": r"\r"}.get(character)
    code = ord(character)
    return short or (rf"\x{code:02x}" if code < 256 else rf"\u{code:04x}")


def _block(value: Any) -> list[str]:
    return [f"{INDENT}{printable(line)}".rstrip() for line in _text(value).splitlines()]


def _cut(text: str) -> str:
    if cell_len(text) <= CELL_WIDTH:
        return text
    return set_cell_size(text, CELL_WIDTH - 1).rstrip() + "…"


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.1f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"
    if isinstance(value, list):
        return ", ".join(_text(item) for item in value)
    return value.isoformat(" ") if isinstance(value, datetime) else str(value)


def _is_number(values: Sequence[Any]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(
        isinstance(value, (int, float, Decimal)) and not isinstance(value, bool) for value in known
    )
