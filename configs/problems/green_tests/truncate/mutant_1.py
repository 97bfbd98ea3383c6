"""Shortening text for display."""

import unicodedata


def truncate(text, width, ellipsis="…"):
    """Return `text`, shortened if need be so that it has at most `width` characters.

    A text of at most `width` characters is returned as it is. A longer one is cut and `ellipsis`
    put after what is left; both together fit in `width`. What is left is as much of the beginning
    as fits, except that a character is dropped rather than parted from the combining marks that
    follow it (characters with a non-zero combining class), and white space before the ellipsis is
    dropped.
    If `ellipsis` leaves room for no text at all, the result is the first `width` characters of
    `ellipsis`.

    Arguments:
        text: a str. Characters are code points.
        width: an int of at least 0.
        ellipsis: a str, of any length; it may be empty.

    Raises:
        TypeError: `width` is not an int; True and False are not ints here.
        ValueError: `width` is below 0.
        The message begins with the name of the argument.
    """
    if not isinstance(width, int) or isinstance(width, bool):
        raise TypeError("width must be an int")
    if width < 0:
        raise ValueError("width must be at least 0")
    if len(text) < width:
        return text
    kept = width - len(ellipsis)
    if kept < 1:
        return ellipsis[:width]
    while kept and unicodedata.combining(text[kept]):
        kept -= 1
    return text[:kept].rstrip() + ellipsis
