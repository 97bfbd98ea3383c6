import calendar

import pytest

from solution import count_leap_years


@pytest.mark.parametrize(
    ("year", "leap"),
    [
        (2024, 1),
        (2023, 0),
        (2022, 0),
        (2021, 0),
        (1900, 0),
        (2100, 0),
        (2200, 0),
        (2000, 1),
        (1600, 1),
        (2400, 1),
        (4, 1),
        (1, 0),
        (0, 1),
        (-1, 0),
        (-4, 1),
        (-100, 0),
        (-400, 1),
    ],
)
def test_single_years(year, leap):
    result = count_leap_years(year, year)
    assert result == leap
    assert type(result) is int


@pytest.mark.parametrize(
    ("first", "last", "count"),
    [
        (2001, 2020, 5),
        (2000, 2020, 6),
        (2000, 2019, 5),
        (1999, 2000, 1),
        (1896, 1904, 2),
        (1897, 1903, 0),
        (2001, 2400, 97),
        (1, 400, 97),
        (1, 9999, 2424),
        (-400, -1, 97),
        (-4, 4, 3),
        (-3, 3, 1),
    ],
)
def test_periods(first, last, count):
    assert count_leap_years(first, last) == count


def test_agrees_with_the_calendar_year_by_year():
    count = 0
    for year in range(1, 2501):
        count += calendar.isleap(year)
        assert count_leap_years(1, year) == count
        assert count_leap_years(year, year) == calendar.isleap(year)


def test_no_years():
    assert count_leap_years(2020, 2019) == 0
    assert count_leap_years(2020, 2000) == 0
    assert count_leap_years(4, -4) == 0
    assert count_leap_years(10**30, -(10**30)) == 0


def test_years_of_any_size():
    assert count_leap_years(10**17 + 1, 10**17 + 400) == 97
    assert count_leap_years(1, 400 * 10**30) == 97 * 10**30
    assert count_leap_years(10**5000, 10**5000) == 1
    assert count_leap_years(1 - 4 * 10**32, 0) == 97 * 10**30


@pytest.mark.parametrize("wrong", [None, 2000.0, "2000", True, False])
def test_only_ints(wrong):
    with pytest.raises(TypeError, match="^first"):
        count_leap_years(wrong, 2020)
    with pytest.raises(TypeError, match="^last"):
        count_leap_years(2000, wrong)
