from datetime import date

import pytest

from solution import business_days


def test_week():
    assert business_days(date(2024, 12, 2), date(2024, 12, 9)) == 5


def test_weekday_holiday():
    assert business_days(date(2024, 12, 23), date(2024, 12, 30), [date(2024, 12, 25)]) == 4


def test_holiday_on_saturday():
    assert business_days(date(2024, 12, 2), date(2024, 12, 9), [date(2024, 12, 7)]) == 4


def test_holidays_outside_of_the_period():
    assert business_days(date(2024, 12, 2), date(2024, 12, 9), [date(2025, 1, 1)]) == 5


def test_end_before_start():
    with pytest.raises(ValueError):
        business_days(date(2024, 12, 9), date(2024, 12, 2))
