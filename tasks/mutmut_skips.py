"""Which code mutmut leaves alone, and why; read from the syntax tree.

These are mutmut's rules as its releases 3.3 to 3.8 apply them; where releases differ, mutmut_script
finds out which rule holds. A function that did get a mutant is never listed, whatever they say.
"""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterable, Iterator, Sequence

from tasks.decoding import split_lines
from tasks.drafts import Skipped

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Definition = FunctionNode | ast.ClassDef

NEVER_MUTATED = {"__getattribute__", "__setattr__", "__new__"}
ENUM_BASES = {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"}
ENUM_HOOKS = {"__init__", "_generate_next_value_"}
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def skipped_code(
    path: str, text: str, mutated_lines: Sequence[int], rules: Sequence[str]
) -> list[Skipped]:
    """What of this file mutmut does not mutate, by line; `mutated_lines` are those it did.

    `rules`: which of `decorated classes` and `enum hooks` this release leaves alone.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        reason = f"what mutmut skips is not known: {error.msg}"
        return [Skipped(path, error.lineno or 1, "<module>", reason)]
    found = [
        (node.lineno, name, reason)
        for node, name, reason in _module(tree, rules)
        if not isinstance(node, _DEFINITIONS)
        or not any(node.lineno <= line <= (node.end_lineno or 0) for line in mutated_lines)
    ]
    return [Skipped(path, *each) for each in sorted([*found, *_pragmas(text)])]


Finding = tuple[ast.stmt, str, str]


def _module(tree: ast.Module, rules: Sequence[str]) -> Iterator[Finding]:
    for node in tree.body:
        if isinstance(node, _FUNCTIONS):
            yield from _function(node, node.name)
        elif isinstance(node, ast.ClassDef):
            yield from _class(node, rules)
        else:
            yield from _under(node, "", "defined at module level under")
    yield from _statements(tree.body, "<module>", "module level")


def _class(node: ast.ClassDef, rules: Sequence[str]) -> Iterator[Finding]:
    if node.decorator_list and "decorated classes" in rules:
        yield node, node.name, f"class decorated with {_decorators(node)}{_methods(node)}"
        return
    is_enum = "enum hooks" in rules and _is_enum(node)
    for child in node.body:
        name = f"{node.name}.{getattr(child, 'name', '')}"
        if isinstance(child, _FUNCTIONS):
            yield from _function(child, name, is_enum)
        elif isinstance(child, ast.ClassDef):
            yield child, name, f"nested class{_methods(child)}"
        else:
            yield from _under(child, f"{node.name}.", "defined in a class body under")
    yield from _statements(node.body, node.name, "class attributes")


def _function(node: FunctionNode, name: str, is_enum: bool = False) -> Iterator[Finding]:
    plain = [each.id for each in node.decorator_list if isinstance(each, ast.Name)]
    if node.name in NEVER_MUTATED:
        yield node, name, f"mutmut never mutates {node.name}"
    elif is_enum and node.name in ENUM_HOOKS:
        yield node, name, "called while the enum is made"
    elif node.decorator_list and plain not in (["staticmethod"], ["classmethod"]):
        yield node, name, f"decorated with {_decorators(node)}"
    else:
        for inner in _definitions(node.body):
            if inner.decorator_list:
                reason = f"decorated with {_decorators(inner)} inside a function"
                yield inner, f"{name}.{inner.name}", reason


def _under(node: ast.stmt, prefix: str, where: str) -> Iterator[Finding]:
    keyword = {ast.AsyncFor: "async for", ast.AsyncWith: "async with", ast.TryStar: "try"}.get(
        type(node), type(node).__name__.lower()
    )
    for inner in _definitions(ast.iter_child_nodes(node)):
        yield inner, prefix + inner.name, f"{where} `{keyword}`"


def _statements(body: Sequence[ast.stmt], name: str, what: str) -> Iterator[Finding]:
    """One line for all statements that could have been mutated."""
    passive = (*_DEFINITIONS, ast.Import, ast.ImportFrom, ast.Pass)
    active = [
        node
        for node in body
        if not isinstance(node, passive)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        and not (isinstance(node, ast.AnnAssign) and node.value is None)
    ]
    if active:
        count = f"{len(active)} statement{'s' if len(active) > 1 else ''}"
        yield active[0], name, f"{what}: {count}"


def _definitions(nodes: Iterable[ast.AST]) -> Iterator[Definition]:
    """Outermost definitions first, then those inside them; expressions hold none."""
    for node in nodes:
        if isinstance(node, _DEFINITIONS):
            yield node
        if not isinstance(node, ast.expr):
            yield from _definitions(ast.iter_child_nodes(node))


def _decorators(node: Definition) -> str:
    heads = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
    return ", ".join(f"@{ast.unparse(each)}" for each in heads)


def _methods(node: ast.ClassDef) -> str:
    count = sum(isinstance(each, _FUNCTIONS) for each in _definitions(node.body))
    return f", with {count} method{'s' if count > 1 else ''}" if count else ""


def _is_enum(node: ast.ClassDef) -> bool:
    names = [each.attr if isinstance(each, ast.Attribute) else each for each in node.bases]
    return any((each.id if isinstance(each, ast.Name) else each) in ENUM_BASES for each in names)


def _pragmas(text: str) -> Iterator[tuple[int, str, str]]:
    lines = iter(split_lines(text))
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            comment = token.string
            if token.type == tokenize.COMMENT and "# pragma:" in comment and "no mutate" in comment:
                yield token.start[0], "", comment[comment.index("# pragma:") :]
    except (tokenize.TokenError, SyntaxError):
        return
