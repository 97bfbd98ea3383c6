from solution import count_leap_years


def test_twenty_years():
    assert count_leap_years(2001, 2020) == 5


def test_no_leap_year():
    assert count_leap_years(2021, 2023) == 0


def test_single_leap_year_at_the_end():
    assert count_leap_years(2021, 2024) == 1
