from decimal import Decimal

from solution import round_money


def test_rounds_down():
    assert round_money(Decimal("10.123")) == Decimal("10.12")


def test_rounds_up():
    assert round_money(Decimal("10.127")) == Decimal("10.13")


def test_half():
    assert round_money("10.115") == Decimal("10.12")
