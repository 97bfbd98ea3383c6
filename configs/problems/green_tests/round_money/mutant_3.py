"""Rounding amounts of money the way an invoice does."""

import decimal
import re

_PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
_STEPS = tuple(decimal.Decimal(f"1E-{places}") for places in range(11))
_WIDE = decimal.Context(
    prec=200, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, clamp=0, flags=[], traps=[]
)


def round_money(amount, places=2):
    """Return `amount` rounded to `places` decimals as a Decimal, halves away from zero.

    2.665 gives 2.67 and -2.665 gives -2.67. The result always has exactly `places` decimals, and is
    never a negative zero. It depends on the arguments alone: the precision, rounding, traps and
    other settings of the decimal context that is active neither change it nor are changed.

    Arguments:
        amount: a Decimal, an int, or a str. A str is an optional sign and ASCII digits, optionally
            followed by a point and more ASCII digits, and nothing else: no blanks, exponent,
            underscore or digits of other scripts. The absolute value must be below 10**100; up to
            that, every digit counts.
        places: an int from 0 to 10.

    Raises:
        TypeError: `amount` is a float, a bool or of another type, or `places` is not an int (True
            and False are not).
        ValueError: `amount` is infinite, a NaN, out of range or a str of another form, or `places`
            is out of range.
        The message begins with the name of the argument.
    """
    if not isinstance(places, int) or isinstance(places, bool):
        raise TypeError("places must be an int")
    if not 0 <= places < len(_STEPS):
        raise ValueError("places must be from 0 to 10")
    exact = _decimal(amount)
    if not exact.is_finite():
        raise ValueError("amount must be finite")
    if exact and exact.adjusted() >= 100:
        raise ValueError("amount must be below 10**100")
    return exact.quantize(_STEPS[places], rounding=decimal.ROUND_HALF_UP, context=_WIDE)


def _decimal(amount):
    if isinstance(amount, bool) or not isinstance(amount, (decimal.Decimal, int, str)):
        raise TypeError("amount must be a Decimal, an int or a str")
    if isinstance(amount, str) and not _PLAIN_NUMBER.fullmatch(amount):
        raise ValueError("amount must be a plain decimal number")
    return decimal.Decimal(amount)
