from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from tests.queries.macros import macro_connection, value


def by_definition(only_a: int, only_b: int) -> float:
    """min(1, 2 P(X <= min)) for X ~ Binomial(n, 1/2), in whole numbers."""
    n = only_a + only_b
    tail = sum(comb(n, k) for k in range(min(only_a, only_b) + 1))
    return float(min(Fraction(1), Fraction(2 * tail, 2**n)))


def test_it_is_scipys_for_all_small_tables() -> None:
    sql = "SELECT a, b, mcnemar_p(a, b) FROM range(41) t(a), range(41) u(b)"
    rows = macro_connection().execute(sql).fetchall()
    assert len(rows) == 41 * 41
    for a, b, p in rows:
        expected = binomtest(a, a + b, 0.5).pvalue if a + b else 1.0
        assert p == pytest.approx(expected, rel=1e-12, abs=1e-12)


@settings(max_examples=50)
@given(st.integers(0, 3000), st.integers(0, 3000))
def test_it_is_the_definition_for_any_table(only_a: int, only_b: int) -> None:
    p = value("mcnemar_p(?, ?)", only_a, only_b)
    assert p == pytest.approx(by_definition(only_a, only_b), rel=1e-11, abs=1e-12)


@pytest.mark.parametrize(
    ("only_a", "only_b"), [(20_000, 20_300), (50_000, 50_000), (499_000, 501_000), (0, 100_000)]
)
def test_it_holds_for_large_tables(only_a: int, only_b: int) -> None:
    expected = binomtest(only_a, only_a + only_b, 0.5).pvalue
    assert value("mcnemar_p(?, ?)", only_a, only_b) == pytest.approx(expected, abs=1e-12)


def test_no_discordant_pairs_give_one() -> None:
    assert value("mcnemar_p(0, 0)") == 1.0


def test_no_counts_give_no_p_value() -> None:
    assert value("mcnemar_p(NULL, 3)") is None
    assert value("mcnemar_p(3, NULL)") is None
