"""Patterns over a tree's paths and over names, and guesses at what a user meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def is_glob(text: str) -> bool:
    return "*" in text or "?" in text


@lru_cache(maxsize=1024)
def _regex(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    return re.compile("".join(_WILD.get(part, re.escape(part)) for part in parts), re.DOTALL)


def matches(text: str, pattern: str) -> bool:
    """Whether a path or name matches: `*` and `?` stay within a folder, `**` does not."""
    return _regex(pattern).fullmatch(text) is not None


def near(wanted: str, there: Iterable[str]) -> str:
    """`; did you mean ...?` for up to three of what is there, or nothing."""
    names: Sequence[str] = sorted(set(there))
    tail = wanted.rstrip("/").split("/")[-1]
    same = [name for name in names if name.split("/")[-1] == tail]
    guesses = same or difflib.get_close_matches(wanted, names, n=3, cutoff=0.8)
    return f"; did you mean {' or '.join(guesses[:3])}?" if guesses else ""
