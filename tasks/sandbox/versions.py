"""Owns one version of a file: its outermost functions and everything outside their bodies."""

from __future__ import annotations

import ast
import dis
import warnings
from dataclasses import dataclass
from inspect import CO_OPTIMIZED
from types import CodeType
from typing import Any

from .functions import Outermost, outermost_functions

_BUILTIN_DECORATORS = {"staticmethod", "classmethod", "property"}
_ACCESSORS = {"setter", "getter", "deleter"}


@dataclass(frozen=True)
class Function:
    """One outermost function. `defaults` or `kwdefaults` is False when not all of them are
    literal constants; `code` is None when the compiler dropped the function as dead.
    """

    qualname: str
    firstlineno: int
    docstring: str | None
    decorated: bool
    defaults: Any
    kwdefaults: Any
    code: CodeType | None


@dataclass(frozen=True)
class Version:
    """`skeleton` is the dump of the module without function bodies and literal defaults;
    `warnings` what the compiler said; `attributes` the names each class assigns on `self`
    (`__static_attributes__`, empty before 3.13).
    """

    skeleton: str
    functions: tuple[Function, ...]
    warnings: tuple[tuple[str, str], ...]
    attributes: tuple[frozenset[str], ...]
    code: CodeType
    tree: ast.Module


def read_version(source: bytes | str, filename: str, flags: int = 0) -> Version:
    """Parse and compile; raises whatever the compiler raises. `flags` are future features."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tree = compile(source, filename, "exec", ast.PyCF_ONLY_AST | flags, dont_inherit=True)
        code = compile(source, filename, "exec", flags, dont_inherit=True)
    codes = _function_codes(code)
    functions = tuple([_strip(found, codes) for found in outermost_functions(tree)])
    said = tuple(sorted((w.category.__name__, str(w.message)) for w in caught))
    return Version(ast.dump(tree), functions, said, tuple(_attributes(code)), code, tree)


def _strip(found: Outermost, codes: dict[tuple[str, int], CodeType | None]) -> Function:
    """Describe a function and take out of the tree what may differ."""
    node = found.node
    docstring = ast.get_docstring(node, clean=False)
    defaults = _positional_defaults(node.args)
    kwdefaults = _keyword_defaults(node.args)
    node.body = []
    if defaults is not False:
        node.args.defaults = []
    if kwdefaults is not False:
        node.args.kw_defaults = []
    return Function(
        found.qualname,
        found.firstlineno,
        docstring,
        not all(map(_is_builtin, node.decorator_list)),
        defaults,
        kwdefaults,
        codes.get((node.name, found.firstlineno)),
    )


def _is_builtin(decorator: ast.expr) -> bool:
    if isinstance(decorator, ast.Attribute):
        return decorator.attr in _ACCESSORS
    return isinstance(decorator, ast.Name) and decorator.id in _BUILTIN_DECORATORS


def _positional_defaults(args: ast.arguments) -> Any:
    try:
        return tuple(map(_literal, args.defaults)) or None
    except ValueError:
        return False


def _keyword_defaults(args: ast.arguments) -> Any:
    given = [
        (a.arg, d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is not None
    ]
    # A private name is mangled inside a class; no mutant is worth the rules of mangling.
    if any(name.startswith("__") for name, _ in given):
        return False
    try:
        return {name: _literal(default) for name, default in given} or None
    except ValueError:
        return False


def _literal(node: ast.expr) -> Any:
    """The value of an immutable literal; ValueError for anything else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Tuple):
        return tuple(map(_literal, node.elts))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        operand = _literal(node.operand)
        if type(operand) in (int, float, complex):
            return -operand if isinstance(node.op, ast.USub) else operand
    raise ValueError(f"line {node.lineno}: not a literal")


def _function_codes(code: CodeType) -> dict[tuple[str, int], CodeType | None]:
    """Outermost function code by name and first line; None where two share both."""
    found: dict[tuple[str, int], CodeType | None] = {}
    for const in code.co_consts:
        if not isinstance(const, CodeType):
            continue
        if _is_scope(const):
            found.update(_function_codes(const))
        else:
            key = (const.co_name, const.co_firstlineno)
            found[key] = None if key in found else const
    return found


def _is_scope(code: CodeType) -> bool:
    """A class body, or what 3.12 wraps around a generic function or class."""
    return not code.co_flags & CO_OPTIMIZED or code.co_name.startswith("<generic parameters of")


def _attributes(code: CodeType) -> list[frozenset[str]]:
    found = []
    for const in code.co_consts:
        if isinstance(const, CodeType) and _is_scope(const):
            if "__static_attributes__" in const.co_names:
                found.append(_static_attributes(const))
            found.extend(_attributes(const))
    return found


def _static_attributes(code: CodeType) -> frozenset[str]:
    value: Any = ()
    for instruction in dis.get_instructions(code):
        if instruction.argval == "__static_attributes__":
            return frozenset(value)
        value = instruction.argval if isinstance(instruction.argval, tuple) else ()
    return frozenset()
