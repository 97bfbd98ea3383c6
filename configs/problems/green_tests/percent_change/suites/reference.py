import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solution import percent_change

numbers = st.one_of(
    st.integers(-1000, 1000), st.integers(), st.floats(allow_nan=False, allow_infinity=False)
)


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        (100, 150, 50.0),
        (100, 50, -50.0),
        (100, 100, 0.0),
        (50, 200, 300.0),
        (8, 9, 12.5),
        (3, 4, 33.333333333333336),
        (0.5, 0.75, 50.0),
        (200, 0, -100.0),
        (200, -200, -200.0),
        (1, 1.5, 50.0),
    ],
)
def test_from_a_positive_value(old, new, change):
    result = percent_change(old, new)
    assert result == change
    assert isinstance(result, float)


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [(-50, -25, 50.0), (-50, -100, -100.0), (-50, 0, 100.0), (-50, 50, 200.0), (-0.5, -0.5, 0.0)],
)
def test_from_a_negative_value_a_rise_is_positive(old, new, change):
    assert percent_change(old, new) == change


@pytest.mark.parametrize("zero", [0, 0.0, -0.0])
def test_from_zero(zero):
    assert percent_change(zero, 5) is None
    assert percent_change(zero, -0.5) is None
    assert percent_change(zero, 10**400) is None
    for other in (0, 0.0, -0.0):
        result = percent_change(zero, other)
        assert result == 0.0
        assert isinstance(result, float)


def test_result_is_rounded_once():
    assert percent_change(0.1, 0.3) == float((Fraction(0.3) - Fraction(0.1)) / Fraction(0.1) * 100)
    assert percent_change(10**17, 10**17 + 1) == 1e-15
    assert percent_change(10**32, 10**32 + 10**30) == 1.0


def test_values_at_the_ends_of_the_range():
    assert percent_change(1e308, -1e308) == -200.0
    assert percent_change(-1e308, 1e308) == 200.0
    assert percent_change(5e-324, 1e-323) == 100.0
    assert percent_change(1e308, 5e-324) == -100.0


def test_huge_ints():
    assert percent_change(10**400, 2 * 10**400) == 100.0
    assert percent_change(10**400, 1) == -100.0
    assert percent_change(10**400, 0.5) == -100.0


def test_result_too_large():
    with pytest.raises(OverflowError):
        percent_change(5e-324, 1e308)
    with pytest.raises(OverflowError):
        percent_change(1, -(10**400))


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_only_finite_values(wrong):
    with pytest.raises(ValueError, match="^old"):
        percent_change(wrong, 1)
    with pytest.raises(ValueError, match="^new"):
        percent_change(1, wrong)
    with pytest.raises(ValueError, match="^new"):
        percent_change(0, wrong)


@pytest.mark.parametrize("wrong", ["1", None, True, False, 1j, Decimal(1), Fraction(1)])
def test_only_ints_and_floats(wrong):
    with pytest.raises(TypeError, match="^old"):
        percent_change(wrong, 1)
    with pytest.raises(TypeError, match="^new"):
        percent_change(1, wrong)


@settings(max_examples=80, deadline=None, derandomize=True, database=None)
@given(numbers, numbers)
def test_sign_says_the_direction(old, new):
    try:
        change = percent_change(old, new)
    except OverflowError:
        return
    if change is None:
        assert old == 0 != new
    elif change > 0:
        assert new > old
    elif change < 0:
        assert new < old
    else:
        assert old == new or abs(Fraction(new) - Fraction(old)) < abs(Fraction(old))


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(st.integers(-1000, 1000).filter(bool), st.integers(-1000, 1000))
def test_mirror_image(old, new):
    assert percent_change(-old, -new) == -percent_change(old, new)
