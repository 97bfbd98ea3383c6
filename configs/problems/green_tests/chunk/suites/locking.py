import pytest

from solution import chunk


def test_even():
    assert chunk(list("abcdef"), 3) == [["a", "b", "c"], ["d", "e", "f"]]


def test_rest():
    assert chunk(list("abcde"), 3) == [["a", "b", "c"], ["d", "e"]]


def test_overlap_of_one():
    assert chunk([1, 2, 3, 4, 5], 3, 1) == [[1, 2, 3], [3, 4, 5], [5]]


def test_overlap_of_two():
    assert chunk([1, 2, 3, 4], 3, 2) == [[1, 2, 3], [2, 3, 4], [3, 4], [4]]


def test_overlap_too_large():
    with pytest.raises(ValueError):
        chunk([1, 2, 3], 2, 2)
