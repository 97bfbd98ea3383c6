from datetime import date

from solution import business_days


def test_one_week():
    assert business_days(date(2024, 7, 1), date(2024, 7, 8)) == 5


def test_over_a_weekend():
    assert business_days(date(2024, 7, 5), date(2024, 7, 9)) == 2


def test_holiday_in_the_week():
    assert business_days(date(2024, 7, 1), date(2024, 7, 8), [date(2024, 7, 4)]) == 4
