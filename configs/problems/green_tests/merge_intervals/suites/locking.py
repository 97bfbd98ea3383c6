import pytest

from solution import merge_intervals


def test_overlap():
    assert merge_intervals([(1, 3), (2, 5)]) == [(1, 5)]


def test_touching():
    assert merge_intervals([(1, 2), (2, 3)]) == [(1, 3)]


def test_contained():
    assert merge_intervals([(1, 10), (2, 5)]) == [(1, 5)]


def test_contained_then_separate():
    assert merge_intervals([(1, 10), (2, 5), (7, 8)]) == [(1, 5), (7, 8)]


def test_reversed_interval():
    with pytest.raises(ValueError):
        merge_intervals([(5, 1)])
