import pytest

from solution import parse_duration


def test_single_units():
    assert parse_duration("45s") == 45
    assert parse_duration("2m") == 120
    assert parse_duration("1d") == 86400


def test_combined():
    assert parse_duration("1h30m") == 5400


def test_no_number():
    with pytest.raises(ValueError):
        parse_duration("abc")
