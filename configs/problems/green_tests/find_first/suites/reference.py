import math

import pytest

from solution import find_first


class Counting:
    """A sequence that counts how often an item is read, and ends a search that never would."""

    def __init__(self, items):
        self.items = items
        self.reads = 0

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        if not isinstance(index, int) or index < 0:
            raise AssertionError(f"read at {index!r}")
        self.reads += 1
        if self.reads > 200:
            raise AssertionError("far too many reads")
        return self.items[index]


def search(items, target):
    return find_first(Counting(items), target)


@pytest.mark.parametrize("length", range(10))
def test_every_item_of_distinct_ones_is_found(length):
    items = list(range(0, 2 * length, 2))
    for index, item in enumerate(items):
        assert search(items, item) == index


@pytest.mark.parametrize("length", range(10))
def test_what_is_absent_is_not_found(length):
    items = list(range(0, 2 * length, 2))
    for target in range(-1, 2 * length + 2, 2):
        assert search(items, target) == -1


@pytest.mark.parametrize(
    ("items", "target", "index"),
    [
        ([1, 2, 2, 2, 3], 2, 1),
        ([2, 2, 2, 2], 2, 0),
        ([2, 2, 2, 2, 3], 2, 0),
        ([0, 1, 1], 1, 1),
        ([1, 1], 1, 0),
        ([1, 1, 2, 2, 3, 3], 3, 4),
        ([1, 1, 2, 2, 3, 3], 2, 2),
        (["a", "b", "b"], "b", 1),
        ((1.5, 1.5, 2), 1.5, 0),
        ("aabbcc", "b", 2),
        ([1, 1.0, True], 1, 0),
    ],
)
def test_first_of_repeated_items(items, target, index):
    assert search(items, target) == index


def test_agrees_with_a_plain_search_on_all_small_sequences():
    for zeros in range(5):
        for ones in range(5):
            for twos in range(5):
                items = [0] * zeros + [1] * ones + [2] * twos
                for target in (-1, 0, 0.5, 1, 2, 3):
                    expected = items.index(target) if target in items else -1
                    assert search(items, target) == expected


def test_long_sequences_are_searched_at_once():
    items = range(10**18)
    assert search(items, 0) == 0
    assert search(items, 10**18 - 1) == 10**18 - 1
    assert search(items, 123_456_789_012_345_678) == 123_456_789_012_345_678
    assert search(items, 10**18) == -1
    assert search(items, -1) == -1


@pytest.mark.parametrize("length", [0, 1, 2, 3, 7, 8, 9, 1000, 1024])
def test_few_items_are_read(length):
    for target in (-1, 0, length // 3, length - 1, length, 0.5):
        items = Counting(range(length))
        find_first(items, target)
        assert items.reads <= length.bit_length() + 1


@pytest.mark.parametrize("target", [4, 5, 6])
def test_few_items_are_read_in_a_long_run_of_equal_ones(target):
    items = Counting([5] * 1000)
    assert find_first(items, target) == (0 if target == 5 else -1)
    assert items.reads <= 11


def test_nan_is_not_found():
    assert search([1.0, 2.0, 3.0], math.nan) == -1
    assert search([], math.nan) == -1


def test_infinities():
    items = [-math.inf, 0, math.inf, math.inf]
    assert search(items, math.inf) == 2
    assert search(items, -math.inf) == 0


def test_plain_list_is_searched_and_not_changed():
    items = [1, 1, 2, 4]
    assert find_first(items, 1) == 0
    assert find_first(items, 4) == 3
    assert find_first(items, 3) == -1
    assert items == [1, 1, 2, 4]


def test_what_cannot_be_compared_is_an_error():
    with pytest.raises(TypeError):
        search([1, 2, 3], "2")
