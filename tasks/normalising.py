"""What is done to every generated suite, whoever wrote it, and nothing beyond it.

Each step leaves a flag, so that it can be counted per arm. The code is parsed, never executed.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tasks.capping import cap_tests
from tasks.decoding import split_lines
from tasks.parsing import TooDeepError, first_line, last_line, parse

CUT_BACK = "cut_back"
ADDED_IMPORT = "added_import_pytest"
_TRIES = 300


@dataclass(frozen=True)
class Normalised:
    """`source` is None when nothing is left that could be run; `reason` then says why."""

    source: str | None
    flags: tuple[str, ...] = ()
    reason: str = ""


def normalise(source: str, cap_functions: int | None = None, *, closed: bool = True) -> Normalised:
    """Line ends to LF and no byte order mark; then, where they apply, the steps with a flag.

    `cut_back`: of an unclosed fence (`closed` False) only the longest run of lines from the top
    that parses is kept. `capped:N`: N test functions after the first `cap_functions` are removed.
    `added_import_pytest`. A closed text that does not parse stays as it is: it is the writer's.
    """
    text = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    flags: list[str] = []
    try:
        if not closed:
            kept = _cut_back(text)
            if kept is None:
                return Normalised(None, (CUT_BACK,), "cut off before its first statement ends")
            flags += [CUT_BACK] if kept.rstrip() != text.rstrip() else []
            text = kept
        try:
            tree = parse(text)
        except SyntaxError:
            return Normalised(text, tuple(flags))
        if cap_functions is not None:
            text, removed = cap_tests(text, tree, cap_functions)
            flags += [f"capped:{removed}"] if removed else []
            tree = parse(text)
    except TooDeepError as error:
        return Normalised(None, tuple(flags), str(error))
    if _lacks_pytest(tree):
        text = _with_import(text, tree)
        flags.append(ADDED_IMPORT)
    return Normalised(text, tuple(flags))


def _cut_back(text: str) -> str | None:
    """The longest run of lines from the top that parses and holds a statement, or None.

    Whatever line the parser stops at cannot be in it, so the search jumps from error to error.
    """
    lines = split_lines(text)
    keep = len(lines)
    for _ in range(_TRIES):
        kept = "".join(lines[:keep])
        try:
            return kept if parse(kept).body else None
        except SyntaxError as error:
            keep = min(keep - 1, max((error.lineno or keep) - 1, 0))
        # Nor can it end in a decorator; one line at a time would take long for a long run of them.
        while keep and lines[keep - 1].strip()[:1] in ("", "#", "@"):
            keep -= 1
    return None


def _lacks_pytest(tree: ast.Module) -> bool:
    """Whether `pytest.` is used and the file binds that name nowhere."""
    used = False
    for node in ast.walk(tree):
        if _binds_pytest(node):
            return False
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            used = used or node.value.id == "pytest"
    return used


def _binds_pytest(node: ast.AST) -> bool:
    if isinstance(node, ast.alias):
        return (node.asname or node.name.split(".")[0]) == "pytest"
    if isinstance(node, ast.Name):
        return node.id == "pytest" and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.arg):
        return node.arg == "pytest"
    # Functions, classes, exception handlers and captures of a match.
    return getattr(node, "name", None) == "pytest"


def _with_import(text: str, tree: ast.Module) -> str:
    """The text with `import pytest` before its first statement that may not stand above it."""
    end = 0
    for index, node in enumerate(tree.body):
        if first_line(node) > end and not _stays_on_top(node, index):
            lines = text.split("\n")
            lines.insert(first_line(node) - 1, "import pytest")
            return "\n".join(lines)
        end = last_line(node)
    return text.rstrip("\n") + "\nimport pytest\n"


def _stays_on_top(node: ast.stmt, index: int) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__"
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return docstring and index == 0
