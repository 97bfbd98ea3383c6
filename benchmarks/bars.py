"""Owns the bars of `make bench`: what was measured, what it must reach, and whether it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One measured number against its bar; `at_least` tells which side of the bar is good."""

    what: str
    value: float
    bar: float
    unit: str
    at_least: bool
    detail: str

    @property
    def passed(self) -> bool:
        return self.value >= self.bar if self.at_least else self.value <= self.bar

    def cells(self) -> tuple[str, str, str, str]:
        sign = ">=" if self.at_least else "<="
        digits = 1 if self.value < 100 else 0
        return (
            self.what,
            f"{self.value:.{digits}f}{self.unit}",
            f"{sign} {self.bar:g}{self.unit}",
            "pass" if self.passed else "FAIL",
        )


def table(findings: Sequence[Finding]) -> str:
    """The findings as lines of columns, each with how it came about below it."""
    head = ("what", "measured", "bar", "")
    rows = [head, *(each.cells() for each in findings)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = []
    for row, finding in zip(rows, [None, *findings], strict=True):
        lines.append("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))
        if finding is not None:
            lines += [f"    {part}" for part in finding.detail.split("; ")]
    return "\n".join(line.rstrip() for line in lines)
