import decimal
from decimal import Decimal

import pytest

from solution import round_money


def same(result, text):
    """Equal in value, sign and number of decimals."""
    return isinstance(result, Decimal) and format(result, "f") == text


@pytest.mark.parametrize(
    ("amount", "rounded"),
    [
        ("1.234", "1.23"),
        ("1.236", "1.24"),
        ("2.665", "2.67"),
        ("2.675", "2.68"),
        ("2.6649999999999999999999", "2.66"),
        ("0.005", "0.01"),
        ("0.0049", "0.00"),
        ("999.995", "1000.00"),
        ("7", "7.00"),
        ("0", "0.00"),
        ("+1.5", "1.50"),
        ("007.10", "7.10"),
    ],
)
def test_halves_go_away_from_zero(amount, rounded):
    assert same(round_money(Decimal(amount)), rounded)
    assert same(round_money(amount), rounded)


@pytest.mark.parametrize(
    ("amount", "rounded"),
    [("-2.665", "-2.67"), ("-2.675", "-2.68"), ("-1.234", "-1.23"), ("-0.005", "-0.01")],
)
def test_negative_halves_go_away_from_zero_too(amount, rounded):
    assert same(round_money(Decimal(amount)), rounded)
    assert same(round_money(amount), rounded)


@pytest.mark.parametrize("amount", ["-0.001", "-0", "-0.00", "-0.00499999"])
def test_zero_is_never_negative(amount):
    assert same(round_money(Decimal(amount)), "0.00")
    assert same(round_money(amount), "0.00")


@pytest.mark.parametrize(
    ("places", "rounded"),
    [(0, "1235"), (1, "1234.6"), (3, "1234.568"), (10, "1234.5678000000")],
)
def test_places(places, rounded):
    assert same(round_money("1234.5678", places), rounded)


def test_half_at_the_last_of_ten_places():
    assert same(round_money("0.00000000005", 10), "0.0000000001")


def test_no_places_give_no_point():
    assert same(round_money("0.5", 0), "1")
    assert same(round_money("2.5", places=0), "3")


@pytest.mark.parametrize("amount", [3, -3, 0, 10**50])
def test_ints(amount):
    assert same(round_money(amount), f"{amount}.00")


def test_exponents_of_decimals_are_written_out():
    assert same(round_money(Decimal("1E+5")), "100000.00")
    assert same(round_money(Decimal("0E+500")), "0.00")
    assert same(round_money(Decimal("1E-999999")), "0.00")


def test_amount_of_32_digits_keeps_them_all():
    assert same(
        round_money("12345678901234567890123456789012.345"), "12345678901234567890123456789012.35"
    )


def test_hundred_digits_are_the_limit():
    assert same(round_money("9" * 100 + ".994"), "9" * 100 + ".99")
    assert same(round_money("9" * 100 + ".995"), "1" + "0" * 100 + ".00")
    for amount in ("1" + "0" * 100, 10**100, Decimal("1E+100"), Decimal("-1E+100"), 10**5000):
        with pytest.raises(ValueError, match="^amount"):
            round_money(amount)


@pytest.mark.parametrize(
    "settings",
    [
        {"prec": 3},
        {"rounding": decimal.ROUND_DOWN},
        {"rounding": decimal.ROUND_HALF_EVEN},
        {"rounding": decimal.ROUND_CEILING},
        {"traps": [decimal.Inexact, decimal.Rounded, decimal.FloatOperation]},
        {"traps": []},
        {"prec": 1, "Emax": 1, "Emin": -1},
        {"clamp": 1, "capitals": 0},
    ],
)
def test_context_of_the_caller_changes_nothing(settings):
    with decimal.localcontext(decimal.Context(**settings)) as context:
        assert same(round_money("1234.565"), "1234.57")
        assert same(round_money(Decimal("-1234.565")), "-1234.57")
        assert same(round_money("-0.001"), "0.00")
        assert not any(context.flags.values())
        assert decimal.getcontext() is context


@pytest.mark.parametrize("traps", [[], [decimal.InvalidOperation]])
def test_context_of_the_caller_does_not_change_what_is_refused(traps):
    with decimal.localcontext(decimal.Context(traps=traps)):
        for amount in ("abc", "", Decimal("NaN"), Decimal("sNaN"), Decimal("1E+400")):
            with pytest.raises(ValueError, match="^amount"):
                round_money(amount)


@pytest.mark.parametrize("amount", ["NaN", "sNaN", "Infinity", "-Infinity"])
def test_only_finite_amounts(amount):
    with pytest.raises(ValueError, match="^amount"):
        round_money(Decimal(amount))


@pytest.mark.parametrize(
    "amount",
    [
        "",
        " 1",
        "1 ",
        "1\n",
        "1,5",
        "1.",
        ".5",
        "1e3",
        "1_000",
        "--1",
        "٣.٥",
        "1.٥",
        "²",
        "nan",
        "inf",
        "1.2.3",
    ],
)
def test_only_plain_text(amount):
    with pytest.raises(ValueError, match="^amount"):
        round_money(amount)


@pytest.mark.parametrize("amount", [1.5, True, None, b"1", 1 + 0j, [1]])
def test_other_amounts_are_refused(amount):
    with pytest.raises(TypeError, match="^amount"):
        round_money(amount)


@pytest.mark.parametrize("places", [-1, 11, 10**30])
def test_places_out_of_range(places):
    with pytest.raises(ValueError, match="^places"):
        round_money("1", places)


@pytest.mark.parametrize("places", [2.0, "2", None, True])
def test_places_must_be_an_int(places):
    with pytest.raises(TypeError, match="^places"):
        round_money("1", places)
