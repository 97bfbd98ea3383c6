from decimal import Decimal

import pytest

from solution import round_money


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        ("1.234", "1.23"),
        ("1.236", "1.24"),
        ("1.235", "1.24"),
        ("1.225", "1.22"),
        ("-1.236", "-1.24"),
    ],
)
def test_round_to_cents(amount, expected):
    assert round_money(amount) == Decimal(expected)


def test_half_goes_to_the_even_neighbour():
    assert round_money(Decimal("2.665")) == Decimal("2.66")
    assert round_money(Decimal("0.5"), 0) == Decimal("0")


def test_float_is_refused():
    with pytest.raises(TypeError):
        round_money(1.5)
