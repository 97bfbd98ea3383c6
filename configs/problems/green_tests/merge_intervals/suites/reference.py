import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solution import merge_intervals

pairs = st.lists(
    st.tuples(st.integers(-8, 8), st.integers(0, 6)).map(lambda pair: (pair[0], sum(pair))),
    max_size=8,
)


@pytest.mark.parametrize(
    ("intervals", "merged"),
    [
        ([], []),
        ([(1, 2)], [(1, 2)]),
        ([(1, 3), (5, 7)], [(1, 3), (5, 7)]),
        ([(5, 7), (1, 3)], [(1, 3), (5, 7)]),
        ([(1, 4), (3, 6)], [(1, 6)]),
        ([(3, 6), (1, 4)], [(1, 6)]),
        ([(1, 2), (2, 3)], [(1, 3)]),
        ([(1, 10), (2, 3)], [(1, 10)]),
        ([(1, 10), (2, 3), (9, 12)], [(1, 12)]),
        ([(1, 10), (2, 3), (5, 6), (11, 12)], [(1, 10), (11, 12)]),
        ([(1, 5), (1, 2)], [(1, 5)]),
        ([(1, 5), (1, 5)], [(1, 5)]),
        ([(-3, -1), (-2, 0)], [(-3, 0)]),
        ([(1, 2), (4, 5), (2, 4)], [(1, 5)]),
    ],
)
def test_examples(intervals, merged):
    assert merge_intervals(intervals) == merged


@pytest.mark.parametrize("intervals", [[(3, 3)], [(3, 3), (3, 3)], [(0, 0), (-0.0, 0.0)]])
def test_empty_intervals_leave_no_trace(intervals):
    assert merge_intervals(intervals) == []


def test_empty_interval_beside_others_leaves_no_trace():
    assert merge_intervals([(1, 2), (4, 4), (6, 7)]) == [(1, 2), (6, 7)]
    assert merge_intervals([(1, 2), (2, 2)]) == [(1, 2)]


def test_floats_and_infinities():
    assert merge_intervals([(0.5, math.inf), (-math.inf, 0)]) == [(-math.inf, 0), (0.5, math.inf)]
    assert merge_intervals([(0, math.inf), (-math.inf, 0.5)]) == [(-math.inf, math.inf)]
    assert merge_intervals([(math.inf, math.inf)]) == []


def test_large_ints_are_compared_exactly():
    big = 10**32
    assert merge_intervals([(0, big), (big + 1, big + 2)]) == [(0, big), (big + 1, big + 2)]


@pytest.mark.parametrize(
    "interval", [(2, 1), (0, -1), (math.nan, 1), (1, math.nan), (math.nan, math.nan), (math.inf, 0)]
)
def test_end_before_start_or_nan_is_refused(interval):
    with pytest.raises(ValueError, match="^intervals"):
        merge_intervals([interval])
    with pytest.raises(ValueError, match="^intervals"):
        merge_intervals([(0, 5), interval, (7, 8)])


def test_input_is_not_changed():
    intervals = [(5, 7), (1, 3), [2, 4], (6, 6)]
    merge_intervals(intervals)
    assert intervals == [(5, 7), (1, 3), [2, 4], (6, 6)]


def test_pairs_may_be_lists_and_come_out_as_tuples():
    merged = merge_intervals([[1, 3], [2, 4], [8, 9]])
    assert merged == [(1, 4), (8, 9)]
    assert all(type(interval) is tuple for interval in merged)


def test_generator_and_set_and_tuple():
    assert merge_intervals((n, n + 1) for n in (2, 0, 1)) == [(0, 3)]
    assert merge_intervals({(1, 2), (2, 3)}) == [(1, 3)]
    assert merge_intervals(((2, 3), (0, 1))) == [(0, 1), (2, 3)]


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(pairs)
def test_same_numbers_in_fewest_intervals(intervals):
    merged = merge_intervals(intervals)
    wanted = {x for start, end in intervals for x in range(start, end)}
    assert {x for start, end in merged for x in range(start, end)} == wanted
    assert len(merged) == sum(x - 1 not in wanted for x in wanted)
    assert all(before[1] < after[0] for before, after in zip(merged, merged[1:]))


@settings(max_examples=30, deadline=None, derandomize=True, database=None)
@given(pairs, st.randoms(use_true_random=False))
def test_order_does_not_matter(intervals, random):
    shuffled = list(intervals)
    random.shuffle(shuffled)
    assert merge_intervals(shuffled) == merge_intervals(intervals)
