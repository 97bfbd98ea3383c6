"""Keeping only the first so many test functions of a suite."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tasks.parsing import first_line, last_line

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_COMPOUND = (ast.If, ast.Try, ast.TryStar, ast.With, ast.For, ast.While)


def cap_tests(text: str, tree: ast.Module, cap: int) -> tuple[str, int]:
    """The text without the test functions after the first `cap`, and how many were removed.

    Counted in the order of the file are functions whose name begins with `test`, at the top and in
    test classes (also nested ones), and not fixtures. A function defined twice counts once. A
    block that would be empty gets a `pass`.
    """
    blocks = list(_blocks(tree))
    found = [(block, node) for block in blocks for node in block if _is_test(node)]
    found.sort(key=lambda pair: pair[1].lineno)
    kept: dict[tuple[int, str], None] = {}
    dropped: list[ast.stmt] = []
    for block, node in found:
        key = (id(block), getattr(node, "name", ""))
        if key in kept or len(kept) < cap:
            kept[key] = None
        else:
            dropped.append(node)
    return _without(text, blocks, dropped), len(dropped)


def _blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """Runs of statements that pytest may collect from; without recursion, for long elif chains."""
    waiting = [tree.body]
    while waiting:
        block = waiting.pop()
        yield block
        for node in block:
            if isinstance(node, ast.ClassDef) and _is_test_class(node):
                waiting.append(node.body)
            elif isinstance(node, _COMPOUND):
                parts = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
                parts += [handler.body for handler in getattr(node, "handlers", [])]
                waiting += [part for part in parts if part]


def _is_test(node: ast.stmt) -> bool:
    if not isinstance(node, _Function) or not node.name.startswith("test"):
        return False
    return not any(_last_name(each) == "fixture" for each in node.decorator_list)


def _is_test_class(node: ast.ClassDef) -> bool:
    bases = [_last_name(base) for base in node.bases]
    return node.name.startswith("Test") or any(base.endswith("TestCase") for base in bases)


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _without(text: str, blocks: list[list[ast.stmt]], dropped: list[ast.stmt]) -> str:
    gone = {id(node) for node in dropped}
    hollow = {id(block[0]) for block in blocks if block and all(id(n) in gone for n in block)}
    lines: list[str | None] = list(text.split("\n"))
    for node in dropped:
        first = first_line(node) - 1
        opening = lines[first] or ""
        lines[first : last_line(node)] = [None] * (last_line(node) - first)
        if id(node) in hollow:
            lines[first] = opening[: len(opening) - len(opening.lstrip())] + "pass"
    return "\n".join(line for line in lines if line is not None)
