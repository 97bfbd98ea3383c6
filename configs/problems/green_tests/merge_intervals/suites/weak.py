from solution import merge_intervals


def test_overlapping_intervals_are_merged():
    assert merge_intervals([(1, 4), (3, 6)]) == [(1, 6)]


def test_separate_intervals_stay_apart():
    assert merge_intervals([(8, 9), (1, 2)]) == [(1, 2), (8, 9)]


def test_nothing():
    assert merge_intervals([]) == []
