"""Reading durations such as "1h30m"."""

import re

_SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_PART = re.compile(r"([0-9]{1,9})([dhms])")


def parse_duration(text):
    """Return the seconds in a duration such as "1d12h", "90m" or "0s", as an int.

    A duration is one or more parts and nothing else: no blanks, signs, points or separators. A part
    is 1 to 9 ASCII digits (leading zeros are allowed, digits of other scripts are not) and a unit:
    d, h, m or s in lower case, for days of 24 hours, hours, minutes and seconds. Units come from
    large to small, each at most once. A number may exceed what its unit holds: "90m" is 5,400.

    Arguments:
        text: a str, of any content and length.

    Raises:
        TypeError: `text` is not a str.
        ValueError: `text` is not a duration of this form, the empty str included.
        The message begins with "text".
    """
    if not isinstance(text, str):
        raise TypeError("text must be a str")
    total, position, previous = 0, 0, None
    for part in _PART.finditer(text):
        seconds = _SECONDS[part[2]]
        if part.start() != position:
            raise ValueError("text must be numbers with the units d, h, m and s")
        if previous is not None and seconds >= previous:
            raise ValueError("text must have its units from large to small, each once")
        total += int(part[1]) * seconds
        position, previous = part.end(), seconds
    if position == 0:
        raise ValueError("text must be numbers with the units d, h, m and s")
    return total
