"""Counting leap years."""


def count_leap_years(first, last):
    """Return how many of the years from `first` to `last`, both included, are leap years.

    A year is a leap year if it can be divided by 4, but not if it can be divided by 100, unless it
    can be divided by 400. The rule holds for every int: 0 and -4 are leap years, 1900 is not.

    Arguments:
        first, last: ints of any sign and size; the time taken does not grow with the years between
            them. If `last` is before `first` there are no years and the result is 0.

    Returns an int of at least 0.

    Raises:
        TypeError: an argument is not an int; True and False are not ints here. The message begins
            with the name of the argument.
    """
    for name, year in (("first", first), ("last", last)):
        if not isinstance(year, int) or isinstance(year, bool):
            raise TypeError(f"{name} must be an int")
    return _leap_years_up_to(last) - _leap_years_up_to(first - 1)


def _leap_years_up_to(year):
    """Leap years after year 0 and up to `year`, less those after `year` and up to 0."""
    return year // 4 - year // 100 + year // 400
