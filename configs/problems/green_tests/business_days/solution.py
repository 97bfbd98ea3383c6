"""Counting the days on which business is done."""

from datetime import date, datetime


def business_days(start, end, holidays=()):
    """Return how many business days there are from `start` up to but not including `end`.

    A business day is a Monday to Friday that is not among `holidays`. A holiday counts once however
    often it is listed, and not at all if it falls on a Saturday or Sunday or outside the period.

    Arguments:
        start, end: dates, from date.min to date.max; equal dates give 0. The time taken does not
            grow with the days between them.
        holidays: any iterable of dates, in any order; it is read once and not changed.

    Returns an int of at least 0.

    Raises:
        TypeError: `start`, `end` or a holiday is not a date; a datetime is not a date here.
        ValueError: `end` is before `start`.
        The message begins with the name of the argument.
    """
    holidays = list(holidays)
    for name, days in (("start", [start]), ("end", [end]), ("holidays", holidays)):
        if not all(isinstance(day, date) and not isinstance(day, datetime) for day in days):
            raise TypeError(f"{name} must be given as date")
    if end < start:
        raise ValueError("end must not be before start")
    weeks, rest = divmod((end - start).days, 7)
    weekdays = 5 * weeks + sum((start.weekday() + day) % 7 < 5 for day in range(rest))
    return weekdays - sum(start <= day < end and day.weekday() < 5 for day in set(holidays))
