"""Text to a syntax tree, for text that nobody vouches for: never executed, never a crash."""

from __future__ import annotations

import ast
import warnings

# A tree takes a few hundred times the memory of its text, and no suite is as long as this.
MAX_CHARACTERS = 1_000_000


class TooDeepError(Exception):
    """Python's parser gives up on it, or would: nested too deeply, or too large."""


def parse(text: str) -> ast.Module:
    """The tree; SyntaxError when it is not Python, TooDeepError when the parser gives up on it."""
    if len(text) > MAX_CHARACTERS:
        raise TooDeepError(f"the code is longer than {MAX_CHARACTERS:,} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (RecursionError, MemoryError):
        raise TooDeepError("the code is nested too deeply or too large to be parsed") from None
    except (ValueError, OverflowError) as error:
        # A NUL, or a lone surrogate: Python reads no file that holds one.
        raise SyntaxError(str(error)) from None


def first_line(node: ast.stmt) -> int:
    """Number of a statement's first line, that of its decorators if it has any."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def last_line(node: ast.stmt) -> int:
    """Number of a statement's last line."""
    return node.end_lineno or node.lineno
