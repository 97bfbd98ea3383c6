import pytest

from solution import percent_change


def test_rise():
    assert percent_change(100, 125) == 25.0


def test_fall():
    assert percent_change(100, 75) == -25.0


def test_negative_base():
    assert percent_change(-50, -25) == -50.0
    assert percent_change(-50, -75) == 50.0


def test_zero():
    assert percent_change(0, 0) == 0.0
    assert percent_change(0, 10) is None


def test_nan():
    with pytest.raises(ValueError):
        percent_change(float("nan"), 1)
