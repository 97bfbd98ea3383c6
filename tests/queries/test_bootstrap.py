from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap

from tests.queries.macros import (
    cluster_reference,
    drawn,
    intervals,
    macro_connection,
    mix,
    paired_reference,
)

DIFFERENCES = st.lists(st.floats(-1, 1), min_size=2, max_size=12)
SEEDS = st.integers(0, 2**63 - 1)


def pairs(**comparisons: list[float]) -> pa.Table:
    rows = [
        {"comparison": name, "pair": f"p{place:04d}", "difference": difference}
        for name, differences in comparisons.items()
        for place, difference in enumerate(differences)
    ]
    return pa.Table.from_pylist(rows)


def clusters(**comparisons: list[tuple[float, float]]) -> pa.Table:
    rows = [
        {"comparison": name, "cluster": f"c{place:04d}", "total": total, "size": size}
        for name, items in comparisons.items()
        for place, (total, size) in enumerate(items)
    ]
    return pa.Table.from_pylist(rows)


def test_the_hash_is_the_one_of_the_reference() -> None:
    numbers = [0, 1, 2, 3, 1000, 2**31, 2**32 - 1]
    sql = "SELECT mix32(x) FROM (SELECT unnest($numbers::UBIGINT[]) AS x)"
    rows = macro_connection().execute(sql, {"numbers": numbers}).fetchall()
    assert [row[0] for row in rows] == [mix(number) for number in numbers]


def test_every_item_is_drawn_equally_often() -> None:
    n, resamples = 20, 4000
    counts = np.bincount(np.concatenate([drawn(1, r, n) for r in range(resamples)]), minlength=n)
    spread = ((counts - resamples) ** 2 / resamples).sum()
    # The chi squared statistic of 19 degrees of freedom is above 43.8 in one of 1,000 fair draws.
    assert spread < 43.8


@settings(max_examples=25)
@given(DIFFERENCES, DIFFERENCES, SEEDS)
def test_paired_intervals_are_those_of_the_reference(
    one: list[float], other: list[float], seed: int
) -> None:
    rows = intervals("paired_bootstrap", pairs(a=one, b=other), 50, 0.9, seed)
    for (name, n, estimate, low, high), items in zip(rows, (one, other), strict=True):
        assert n == len(items), name
        assert estimate == pytest.approx(np.mean(items), abs=1e-12)
        assert (low, high) == pytest.approx(paired_reference(items, 50, 0.9, seed), abs=1e-14)


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 30)), min_size=2, max_size=10).filter(
        lambda items: any(size for _, size in items)
    ),
    SEEDS,
)
def test_cluster_intervals_are_those_of_the_reference(
    items: list[tuple[float, float]], seed: int
) -> None:
    totals, sizes = zip(*items, strict=True)
    ((_, n, estimate, low, high),) = intervals(
        "cluster_bootstrap", clusters(a=items), 50, 0.9, seed
    )
    assert n == len(items)
    assert estimate == pytest.approx(sum(totals) / sum(sizes))
    expected = cluster_reference(totals, sizes, 50, 0.9, seed)
    assert (low, high) == pytest.approx(expected, abs=1e-14)


def test_paired_intervals_agree_with_scipys() -> None:
    random = np.random.default_rng(5)
    items = random.choice([-1.0, 0.0, 1.0], size=300, p=[0.15, 0.6, 0.25])
    ((_, _, estimate, low, high),) = intervals(
        "paired_bootstrap", pairs(a=list(items)), 4000, 0.95, 7
    )
    theirs = bootstrap(
        (items,), np.mean, n_resamples=4000, method="percentile", rng=np.random.default_rng(1)
    )
    error = theirs.standard_error
    assert estimate == pytest.approx(items.mean())
    # Two bounds of 4,000 resamples each differ by a tenth of a standard error at most.
    assert low == pytest.approx(theirs.confidence_interval.low, abs=0.15 * error)
    assert high == pytest.approx(theirs.confidence_interval.high, abs=0.15 * error)


def test_cluster_intervals_agree_with_scipys() -> None:
    random = np.random.default_rng(6)
    sizes = random.integers(5, 40, size=60)
    totals = random.binomial(sizes, random.uniform(0.3, 0.9, size=60))
    items = list(zip(totals.astype(float), sizes.astype(float), strict=True))
    ((_, _, _, low, high),) = intervals("cluster_bootstrap", clusters(a=items), 4000, 0.95, 7)
    theirs = bootstrap(
        (totals, sizes),
        lambda total, size, axis: total.sum(axis) / size.sum(axis),
        paired=True,
        vectorized=True,
        n_resamples=4000,
        method="percentile",
        rng=np.random.default_rng(1),
    )
    error = theirs.standard_error
    assert low == pytest.approx(theirs.confidence_interval.low, abs=0.15 * error)
    assert high == pytest.approx(theirs.confidence_interval.high, abs=0.15 * error)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(8)
    samples = {f"s{place:03d}": list(random.normal(0.3, 1, size=50)) for place in range(300)}
    rows = intervals("paired_bootstrap", pairs(**samples), 400, 0.9, 3)
    inside = sum(low <= 0.3 <= high for *_, low, high in rows)
    # 90 % of 300, less 1.5 % for percentile intervals of 50 items, give or take 3 deviations.
    assert 245 <= inside <= 290


@pytest.mark.parametrize("macro", ["paired_bootstrap", "cluster_bootstrap"])
def test_the_interval_depends_on_the_seed_and_not_on_the_threads(macro: str) -> None:
    random = np.random.default_rng(9)
    names = [f"c{place}" for place in range(30)]
    items = {name: list(random.uniform(-1, 1, size=200)) for name in names}
    given_rows = (
        pairs(**items)
        if macro == "paired_bootstrap"
        else clusters(**{name: [(x, 1 + abs(x)) for x in xs] for name, xs in items.items()})
    )
    shuffled = given_rows.take(random.permutation(given_rows.num_rows))
    one = intervals(macro, given_rows, 200, 0.95, 1, threads=1)
    assert intervals(macro, shuffled, 200, 0.95, 1, threads=4) == one
    assert intervals(macro, given_rows, 200, 0.95, 2, threads=4) != one


def test_one_item_has_an_estimate_and_no_interval() -> None:
    assert intervals("paired_bootstrap", pairs(a=[0.5]), 100, 0.95, 1) == [
        ("a", 1, 0.5, None, None)
    ]
    rows = intervals("cluster_bootstrap", clusters(a=[(1, 4)]), 100, 0.95, 1)
    assert rows == [("a", 1, 0.25, None, None)]


def test_nothing_to_draw_from_gives_no_row() -> None:
    empty = pairs(a=[0.5]).slice(0, 0)
    assert intervals("paired_bootstrap", empty, 100, 0.95, 1) == []


def test_clusters_without_members_have_no_ratio() -> None:
    rows = intervals("cluster_bootstrap", clusters(a=[(0, 0), (0, 0)]), 20, 0.95, 1)
    assert rows == [("a", 2, None, None, None)]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=8))
@settings(max_examples=25)
def test_leaving_one_out_is_the_ratio_of_the_others(items: list[tuple[float, float]]) -> None:
    connection = macro_connection()
    connection.register("given_rows", clusters(a=items))
    rows = connection.execute("SELECT * FROM leave_one_out('given_rows') ORDER BY ALL").fetchall()
    for place, (_, left_out, estimate) in enumerate(rows):
        others = items[:place] + items[place + 1 :]
        size = sum(size for _, size in others)
        assert left_out == f"c{place:04d}"
        assert estimate == (sum(total for total, _ in others) / size if size else None)
