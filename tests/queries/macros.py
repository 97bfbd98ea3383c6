"""Queries against the macros alone, and the resampling of queries/macros written out in Python."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from storage.sqlfiles import sql_files

WORD = 0xFFFFFFFF


def macro_connection(threads: int = 2) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"threads": threads})
    for file in sql_files("macros"):
        connection.execute(file.text)
    return connection


@cache
def _shared() -> duckdb.DuckDBPyConnection:
    return macro_connection()


def value(expression: str, *params: Any) -> Any:
    """One expression over the macros."""
    row = _shared().execute(f"SELECT {expression}", list(params)).fetchone()
    assert row is not None
    return row[0]


def intervals(
    macro: str, rows: pa.Table, resamples: int, level: float, seed: int, threads: int = 2
) -> list[tuple[Any, ...]]:
    """Rows of a bootstrap macro over a table, ordered by comparison."""
    connection = macro_connection(threads)
    connection.register("given_rows", rows)
    sql = f"SELECT * FROM {macro}('given_rows', $r, $l, $s) ORDER BY comparison"
    return connection.execute(sql, {"r": resamples, "l": level, "s": seed}).fetchall()


def mix(x: int) -> int:
    x ^= x >> 16
    x = (x * 0x7FEB352D) & WORD
    x ^= x >> 15
    x = (x * 0x846CA68B) & WORD
    return x ^ (x >> 16)


def drawn(seed: int, resample: int, n: int) -> list[int]:
    """Places of the items that one resample draws out of n."""
    key = mix(mix(seed & WORD) ^ resample)
    return [(mix(key ^ mix(place)) * n) >> 32 for place in range(n)]


def fixed(values: Sequence[float]) -> float:
    """A sum in steps of 2^-32, each term rounded to the nearest step, halves to even."""
    return sum(round(value * 2**32) for value in values) / 2**32


def paired_reference(
    items: Sequence[float], resamples: int, level: float, seed: int
) -> tuple[float, float]:
    n = len(items)
    sums = [fixed([items[i] for i in drawn(seed, r, n)]) for r in range(resamples)]
    low, high = np.quantile(sums, [(1 - level) / 2, (1 + level) / 2])
    return low / n, high / n


def cluster_reference(
    totals: Sequence[float], sizes: Sequence[float], resamples: int, level: float, seed: int
) -> tuple[float, float]:
    ratios = []
    for resample in range(resamples):
        places = drawn(seed, resample, len(totals))
        size = fixed([sizes[i] for i in places])
        if size:
            ratios.append(fixed([totals[i] for i in places]) / size)
    low, high = np.quantile(ratios, [(1 - level) / 2, (1 + level) / 2])
    return low, high
