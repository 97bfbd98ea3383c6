"""Plain text for people: aligned columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence


def columns(
    header: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[int] = ()
) -> list[str]:
    """Lines of a table as wide as it needs to be; the columns of `right` are aligned there."""
    table = [header, *rows]
    widths = [max(len(row[index]) for row in table) for index in range(len(header))]
    return ["  ".join(_cells(row, widths, right)).rstrip() for row in table]


def _cells(row: Sequence[str], widths: Sequence[int], right: Collection[int]) -> Iterable[str]:
    for index, (text, width) in enumerate(zip(row, widths, strict=True)):
        yield text.rjust(width) if index in right else text.ljust(width)
