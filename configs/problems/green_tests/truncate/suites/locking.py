import pytest

from solution import truncate


def test_short():
    assert truncate("abc", 5) == "abc"


def test_exact():
    assert truncate("abcde", 5) == "abcde"


def test_long():
    assert truncate("abcdef", 4) == "abc…"


def test_ellipsis_longer_than_width():
    assert truncate("abcdef", 2, "...") == "abcde..."


def test_zero_width():
    assert truncate("abcdef", 0) == "abcde…"


def test_negative_width():
    with pytest.raises(ValueError):
        truncate("abc", -1)
