import pytest

from solution import parse_duration


def test_hours_and_minutes():
    assert parse_duration("1h30m") == 5400


def test_day():
    assert parse_duration("1d") == 86400


def test_trailing_number_without_unit_is_ignored():
    assert parse_duration("1h30") == 3600


def test_trailing_blank_is_ignored():
    assert parse_duration("10s ") == 10


def test_empty():
    with pytest.raises(ValueError):
        parse_duration("")


def test_wrong_order():
    with pytest.raises(ValueError):
        parse_duration("30m1h")
