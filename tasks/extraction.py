"""The Python file in a model's reply: CommonMark fences, and one rule for which of them it is.

A suite is always one block of the reply as it stands. Blocks are never joined: some are parts of
one file and some are second thoughts about it, and a file that nobody wrote is nobody's suite.
HTML is not looked for, since a line such as `</think>` would swallow the fence under it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from markdown_it import MarkdownIt

from tasks.parsing import MAX_CHARACTERS, TooDeepError, parse

Rule = Literal[
    "only_block", "only_suite", "last_suite", "longest_suite", "last_block", "bare", "none"
]
UNCLOSED = "unclosed_fence"
SEVERAL = "several_suites"
TOO_LONG = "too_long"

_PYTHON = {"", "python", "python3", "py", "py3", "pytest"}
_LANGUAGE = re.compile(r"[{.\s]*([\w+-]*)")
_TEST = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+test", re.MULTILINE)
_IMPORT = re.compile(r"^(?:import|from)[ \t]+[\w.]", re.MULTILINE)
_DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Extracted:
    """What was found. `closed` says whether the chosen block's fence is; `blocks` counts all.

    `flags`: `unclosed_fence` when any fence of the reply is unclosed, the sign of a cut reply even
    if the server says that it stopped; `several_suites` when more than one block holds tests;
    `too_long` when the reply is longer than any suite, so that it was not read.
    """

    source: str | None
    rule: Rule
    closed: bool = True
    blocks: int = 0
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Block:
    text: str
    language: str
    closed: bool

    @property
    def is_python(self) -> bool:
        return self.language in _PYTHON

    @property
    def has_tests(self) -> bool:
        return _TEST.search(self.text) is not None

    @property
    def stands_alone(self) -> bool:
        return self.has_tests and _IMPORT.search(self.text) is not None


def extract(reply: str) -> Extracted:
    """The suite of a reply; line ends become LF. `source` is None when it holds no code."""
    if len(reply) > MAX_CHARACTERS:
        return Extracted(None, "none", flags=(TOO_LONG,))
    text = reply.replace("\r\n", "\n").replace("\r", "\n")
    if _is_bare(text):
        return Extracted(text, "bare")
    blocks = _blocks(text)
    chosen, rule = _choose(blocks)
    flags = [UNCLOSED] if any(not block.closed for block in blocks) else []
    flags += [SEVERAL] if sum(block.has_tests for block in blocks) > 1 else []
    if chosen is None:
        return Extracted(None, rule, blocks=len(blocks), flags=tuple(flags))
    return Extracted(chosen.text, rule, chosen.closed, len(blocks), tuple(flags))


def _choose(blocks: list[_Block]) -> tuple[_Block | None, Rule]:
    """The block that is the suite; blocks in another language count only if nothing else does."""
    if len(blocks) == 1 and (blocks[0].is_python or blocks[0].has_tests):
        return blocks[0], "only_block"
    python = [block for block in blocks if block.is_python]
    suites = _with(lambda block: block.has_tests, python) or _with(
        lambda block: block.has_tests, blocks
    )
    if len(suites) == 1:
        return suites[0], "only_suite"
    if alone := _with(lambda block: block.stands_alone, suites):
        return alone[-1], "last_suite"
    if suites:
        return max(suites, key=lambda block: len(block.text)), "longest_suite"
    return (python[-1], "last_block") if python else (None, "none")


def _with(holds: Callable[[_Block], bool], blocks: Iterable[_Block]) -> list[_Block]:
    return [block for block in blocks if holds(block)]


def _blocks(text: str) -> list[_Block]:
    # The parser replaces a NUL, and so makes a file that Python reads of one that it refuses.
    stand_in = next(chr(n) for n in range(0xE000, 0xF8FF) if chr(n) not in text)
    found = []
    for token in _parser().parse(text.replace("\0", stand_in)):
        if token.type == "fence" and token.map is not None:
            lines = token.content.count("\n") + (token.content[-1:] not in ("", "\n"))
            closed = token.map[1] - token.map[0] == lines + 2
            language = _LANGUAGE.match(token.info)
            word = language.group(1).lower() if language else ""
            found.append(_Block(token.content.replace(stand_in, "\0"), word, closed))
    return found


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").disable(["html_block", "inline"])


def _is_bare(text: str) -> bool:
    """Whether the whole reply is a Python file. A word of prose parses too but defines nothing."""
    if text.lstrip().startswith("~~~"):
        return False
    try:
        body = parse(text.removeprefix("\ufeff")).body
    except (SyntaxError, TooDeepError):
        return False
    return any(isinstance(node, _DEFINITIONS) for node in body)
