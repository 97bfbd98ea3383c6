"""Relative change for reports."""

import math
from fractions import Fraction


def percent_change(old, new):
    """Return by how many per cent of the size of `old` the value rose (or, below 0, fell) to `new`.

    That is (new - old) / abs(old) * 100, so a rise is positive also when `old` is negative: from
    -50 to -25 is 50.0. It is worked out exactly and rounded once, to the nearest float; inputs of
    any size do, as long as the result is in the range of floats.

    If `old` is zero there is no such number: the result is 0.0 if `new` is zero too, else None.

    Arguments:
        old, new: ints or floats; -0.0 is zero.

    Returns a float or None.

    Raises:
        TypeError: an argument is neither int nor float; True and False are not ints here.
        ValueError: an argument is a NaN or infinite.
        OverflowError: the result is too large for a float.
        The message of the first two begins with the name of the argument.
    """
    for name, value in (("old", old), ("new", new)):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"{name} must be an int or a float")
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name} must be finite")
    if not (old and new):
        return 0.0 if new == 0 else None
    base = Fraction(old)
    return float((Fraction(new) - base) / abs(base) * 100)
