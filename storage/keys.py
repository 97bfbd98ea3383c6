"""Keys of objects: parts between forward slashes, none of them empty or beginning with a dot."""

from __future__ import annotations

import re

# A store's own method `list` hides the type's name from its annotations.
Keys = list[str]

_KEY = re.compile(r"[^./][^/]*(/[^./][^/]*)*")


def check_key(key: str) -> bool:
    """Whether a text is a key."""
    return _KEY.fullmatch(key) is not None


def check_prefix(prefix: str) -> str:
    """The prefix, if it is one of a listing: empty, or ending with a slash; else ValueError."""
    if prefix and not prefix.endswith("/"):
        raise ValueError(f"a prefix ends with a slash: {prefix!r}")
    if prefix and not check_key(prefix[:-1]):
        raise ValueError(f"not a key of the store: {prefix!r}")
    return prefix
