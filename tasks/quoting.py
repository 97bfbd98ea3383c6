"""Text made part of a Markdown text without changing what it says."""

from __future__ import annotations

import re


def fenced(code: object) -> str:
    """The code in a Markdown fence that is longer than any run of backticks in it."""
    code = str(code)  # of a template's undefined value this is its own error
    longest = max([2, *map(len, re.findall("`+", code))])
    fence = "`" * (longest + 1)
    return f"{fence}python\n{code.rstrip()}\n{fence}"


def quoted(text: object) -> str:
    """The text as a Markdown quotation."""
    return "\n".join(f"> {line}".rstrip() for line in str(text).strip().splitlines())


def shortened(text: str, length: int = 300) -> str:
    """The text, or its beginning and the number of characters left out."""
    return text if len(text) <= length else f"{text[:length]}... ({len(text) - length} more)"
