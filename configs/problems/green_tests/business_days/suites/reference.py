from datetime import date, datetime, timedelta

import pytest

from solution import business_days

MONDAY = date(2024, 7, 1)


def day(number):
    """Days after a Monday."""
    return MONDAY + timedelta(days=number)


def counted(start, end, holidays=()):
    """The same number, day by day."""
    days = (start + timedelta(days=n) for n in range((end - start).days))
    return sum(d.weekday() < 5 and d not in holidays for d in days)


def test_a_week_has_five():
    assert business_days(day(0), day(7)) == 5


@pytest.mark.parametrize(("number", "expected"), list(enumerate([1, 1, 1, 1, 1, 0, 0])))
def test_single_days(number, expected):
    assert business_days(day(number), day(number + 1)) == expected


@pytest.mark.parametrize("number", range(7))
def test_equal_dates_give_zero(number):
    assert business_days(day(number), day(number)) == 0


def test_end_does_not_count():
    assert business_days(day(0), day(4)) == 4
    assert business_days(day(4), day(5)) == 1
    assert business_days(day(4), day(7)) == 1
    assert business_days(day(4), day(8)) == 2


@pytest.mark.parametrize("start", range(7))
def test_agrees_with_counting_day_by_day(start):
    for length in range(24):
        assert business_days(day(start), day(start + length)) == counted(
            day(start), day(start + length)
        )


def test_holidays_are_left_out():
    assert business_days(day(0), day(7), [day(1)]) == 4
    assert business_days(day(0), day(7), [day(1), day(4)]) == 3


def test_holiday_on_the_start_counts_and_on_the_end_does_not():
    assert business_days(day(0), day(4), [day(0)]) == 3
    assert business_days(day(0), day(4), [day(4)]) == 4


def test_holiday_on_a_weekend_changes_nothing():
    assert business_days(day(0), day(7), [day(5)]) == 5
    assert business_days(day(0), day(7), [day(6)]) == 5
    assert business_days(day(5), day(7), [day(5), day(6)]) == 0


def test_holiday_on_a_friday():
    assert business_days(day(0), day(7), [day(4)]) == 4


def test_holiday_outside_the_period_changes_nothing():
    assert business_days(day(0), day(7), [day(-3), day(7), day(8), date.min, date.max]) == 5


def test_holiday_listed_twice_counts_once():
    assert business_days(day(0), day(7), [day(1), day(1), date(2024, 7, 2)]) == 4


def test_holidays_may_be_any_iterable_and_stay_as_they_are():
    holidays = [day(2), day(1), day(2)]
    assert business_days(day(0), day(7), holidays) == 3
    assert holidays == [day(2), day(1), day(2)]
    assert business_days(day(0), day(7), (d for d in holidays)) == 3
    assert business_days(day(0), day(7), {day(3)}) == 4
    assert business_days(day(0), day(7), holidays=iter(())) == 5


def test_leap_year():
    assert business_days(date(2024, 1, 1), date(2025, 1, 1)) == 262
    assert business_days(date(2023, 1, 1), date(2024, 1, 1)) == 260


def test_all_of_the_calendar():
    assert business_days(date.min, date.max) == 2_608_614
    assert business_days(date.max, date.max) == 0
    assert business_days(date.max - timedelta(days=1), date.max, [date.max]) == 1


def test_end_before_start_is_refused():
    with pytest.raises(ValueError, match="^end"):
        business_days(day(1), day(0))
    with pytest.raises(ValueError, match="^end"):
        business_days(date.max, date.min)


@pytest.mark.parametrize("wrong", ["2024-07-01", None, 20240701, datetime(2024, 7, 1)])
def test_only_dates(wrong):
    with pytest.raises(TypeError, match="^start"):
        business_days(wrong, day(3))
    with pytest.raises(TypeError, match="^end"):
        business_days(day(0), wrong)
    with pytest.raises(TypeError, match="^holidays"):
        business_days(day(0), day(3), [day(1), wrong])


def test_unhashable_holiday():
    with pytest.raises(TypeError, match="^holidays"):
        business_days(day(0), day(3), [[2024, 7, 1]])
