"""Owns which functions of a module count: the outermost ones, by name and line.

Outermost means reached without entering another function: at module level or in class bodies,
however deep in `class`, `if`, `try`, `with`, loops or `match`. Lambdas do not count.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class FunctionName(NamedTuple):
    """`firstlineno` is that of the first decorator, as in `co_firstlineno`; lines count from 1."""

    qualname: str
    firstlineno: int
    lineno_end: int


class Outermost(NamedTuple):
    """One outermost function and the statements around it, from the outside in."""

    qualname: str
    node: FunctionNode
    parents: tuple[ast.stmt, ...]

    @property
    def firstlineno(self) -> int:
        return min([self.node.lineno, *(d.lineno for d in self.node.decorator_list)])

    @property
    def lineno_end(self) -> int:
        return self.node.end_lineno or self.node.lineno


def parse(source: bytes) -> ast.Module | None:
    """The syntax tree, None when there is none; silent about invalid escapes and the like."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def outermost_functions(tree: ast.Module) -> Iterator[Outermost]:
    """The outermost functions of a module in the order of the text."""
    yield from _walk(tree, "", ())


def imported_names(tree: ast.Module) -> frozenset[str]:
    """Names that import statements bind at module level, as far as the text tells."""
    return frozenset(_imports(tree)) - {"*"}


def _imports(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield from ((a.asname or a.name).partition(".")[0] for a in child.names)
        elif not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            yield from _imports(child)


def target_functions(source: bytes) -> tuple[FunctionName, ...]:
    """Names of all outermost functions; none when the source does not parse."""
    tree = parse(source)
    found = outermost_functions(tree) if tree else ()
    return tuple(FunctionName(f.qualname, f.firstlineno, f.lineno_end) for f in found)


def _walk(node: ast.AST, prefix: str, parents: tuple[ast.stmt, ...]) -> Iterator[Outermost]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield Outermost(prefix + child.name, child, parents)
        elif isinstance(child, ast.ClassDef):
            yield from _walk(child, f"{prefix}{child.name}.", (*parents, child))
        elif isinstance(child, ast.stmt):
            yield from _walk(child, prefix, (*parents, child))
        elif not isinstance(child, (ast.expr, ast.expr_context)):
            # Handlers and match cases hold statements without being one.
            yield from _walk(child, prefix, parents)
