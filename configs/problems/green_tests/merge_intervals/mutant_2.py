"""Merging intervals that overlap."""


def merge_intervals(intervals):
    """Return the fewest intervals that cover the same numbers as `intervals`, in ascending order.

    An interval is a pair (start, end) and holds the numbers x with start <= x < end. Intervals that
    overlap, or of which one ends where another starts, come out as one. An interval with start
    equal to end holds nothing and leaves no trace.

    Arguments:
        intervals: any iterable of pairs of ints or floats, in any order; infinities are allowed. It
            is read once and not changed.

    Returns a new list of tuples (start, end) made of the numbers that were given.

    Raises:
        ValueError: an interval ends before it starts, or its start or end is a NaN. The message
            begins with "intervals".
    """
    if not isinstance(intervals, list):
        intervals = list(intervals)
    intervals.sort()
    filled = []
    for start, end in intervals:
        if not start <= end:
            raise ValueError("intervals must not end before they start")
        if start < end:
            filled.append((start, end))
    merged = []
    for start, end in filled:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
