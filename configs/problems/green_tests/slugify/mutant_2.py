"""The part of a URL that is made from a title."""

import re
import unicodedata


def slugify(title, max_length=50):
    """Return `title` as a slug: words of a-z and 0-9 joined by single hyphens.

    The title is brought to Unicode form NFKD and case-folded, and combining marks (characters with
    a non-zero combining class) are dropped, so "É" gives "e", "ß" gives "ss" and "²" gives "2".
    Then every run of characters other than ASCII a-z and 0-9 (letters and digits of other scripts
    too) becomes one hyphen. Hyphens at the beginning are dropped, the slug is cut after
    `max_length` characters, in mid-word if need be, and then a hyphen at the end is dropped.

    Arguments:
        title: a str, of any content and length.
        max_length: the most characters the slug may have, an int of at least 1.

    Returns a str; it is empty if nothing of the title can be kept.

    Raises:
        TypeError: `title` is not a str, or `max_length` is not an int (True and False are not).
        ValueError: `max_length` is below 1.
        The message begins with the name of the argument.
    """
    if not isinstance(title, str):
        raise TypeError("title must be a str")
    if not isinstance(max_length, int) or isinstance(max_length, bool):
        raise TypeError("max_length must be an int")
    if max_length < 1:
        raise ValueError("max_length must be at least 1")
    folded = unicodedata.normalize("NFC", title).casefold()
    letters = "".join(char for char in folded if not unicodedata.combining(char))
    slug = re.sub("[^a-z0-9]+", "-", letters)
    return slug.lstrip("-")[:max_length].rstrip("-")
