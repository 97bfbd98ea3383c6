import pytest

from solution import count_leap_years


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [(2001, 2010, 2), (1895, 1905, 2), (2000, 2020, 5), (2024, 2024, 0), (2020, 2010, 0)],
)
def test_count(first, last, expected):
    assert count_leap_years(first, last) == expected


def test_float_is_refused():
    with pytest.raises(TypeError):
        count_leap_years(2000.0, 2020)
