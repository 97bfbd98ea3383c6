"""What Python itself says of a source and its mutated versions: scopes, and whether they compile.

Standard library only and free of imports of ours: where a subject's Python is not the harness's,
that other Python runs this file as a script (JSON in, JSON out). Nothing is ever executed.
"""

from __future__ import annotations
import __future__

import ast
import io
import json
import sys
import warnings
from collections import Counter
from types import CodeType
from typing import Any

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def check(text: str, mutated: list[str]) -> dict[str, Any]:
    """Scopes of the original and the status of each mutated text, in order.

    `{"scopes": [[qualified name, first line, last line]], "statuses": [...]}`; `{"error": ...}`
    with "line N: message" when the original itself does not compile.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            checker = Checker(text)
        except Exception as error:
            return {"error": f"line {getattr(error, 'lineno', None) or 1}: {error}"}
        return {
            "scopes": scopes(checker.tree),
            "statuses": [checker.status(each) for each in mutated],
        }


def scopes(tree: ast.Module) -> list[list[Any]]:
    """Every function and class: qualified name, first line (of its decorators) and last line.

    A name defined again in the same place gets a number, so that names tell scopes apart.
    """
    found: list[list[Any]] = []
    seen: Counter[str] = Counter()

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = prefix
            if isinstance(child, _DEFINITIONS):
                name = prefix + child.name
                seen[name] += 1
                name += f"#{seen[name]}" if seen[name] > 1 else ""
                found.append([name, _first_line(child), child.end_lineno])
                inner = f"{name}."
            visit(child, inner)

    visit(tree, "")
    return found


def _first_line(node: Any) -> int:
    lines: list[int] = [node.lineno, *(each.lineno for each in node.decorator_list)]
    return min(lines)


class Checker:
    """Compiles mutated versions of one source, whole or only the definition that changed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = _lines(text)
        self.tree = ast.parse(text)
        code = _compile(text)
        self.flags = code.co_flags & _future_flags()
        self.code = _bare(code)
        self.blocks = _blocks(self.tree)
        self.block_codes: dict[tuple[int, int, str], CodeType | None] = {}

    def status(self, mutated: str) -> str:
        """`ok`, `uncompilable` or `equivalent_bytecode` (the same but for line numbers)."""
        equal = self._compare_block(_lines(mutated))
        if equal is None:
            try:
                equal = _bare(_compile(mutated)) == self.code
            except Exception:
                return "uncompilable"
        return "equivalent_bytecode" if equal else "ok"

    def _compare_block(self, mutated: list[str]) -> bool | None:
        """Compare the one definition that changed; None: compile the whole file.

        A definition compiles alone as it does in its file, provided that it is still one complete
        definition: its names are global either way, and future imports come in as flags. A method
        needs its class around it, for `super` and private names, but no other member.
        """
        first, last = _changed(self.lines, mutated)
        growth = len(mutated) - len(self.lines)
        for start, stop, header in self.blocks:
            if start <= first < stop and last <= stop and (first < last or start < first):
                original = self._original_block(start, stop, header)
                code = self._definition(header, "".join(mutated[start : stop + growth]))
                return None if original is None or code is None else code == original
        return None

    def _original_block(self, start: int, stop: int, header: str) -> CodeType | None:
        key = (start, stop, header)
        if key not in self.block_codes:
            self.block_codes[key] = self._definition(header, "".join(self.lines[start:stop]))
        return self.block_codes[key]

    def _definition(self, header: str, text: str) -> CodeType | None:
        """Bare code of one definition; None if the text is anything else."""
        try:
            tree = compile(header + text, "", "exec", ast.PyCF_ONLY_AST | self.flags, True, 0)
            body = tree.body
            if header:
                (outer,) = body
                body = outer.body
            if len(body) != 1 or not isinstance(body[0], _DEFINITIONS):
                return None
            return _bare(compile(tree, "", "exec", self.flags, True, 0))
        except Exception:
            return None


def _blocks(tree: ast.Module) -> list[tuple[int, int, str]]:
    """Definitions that compile alone: indices of their lines, and the line to put before them."""
    members, outer = [], []
    for node in tree.body:
        if isinstance(node, _DEFINITIONS):
            outer.append((_first_line(node) - 1, node.end_lineno or 0, ""))
        if isinstance(node, ast.ClassDef) and _is_plain(node):
            members += [
                (_first_line(child) - 1, child.end_lineno or 0, f"class {node.name}:\n")
                for child in node.body
                if isinstance(child, _DEFINITIONS)
            ]
    return members + outer


def _is_plain(node: ast.ClassDef) -> bool:
    declared = any(isinstance(child, (ast.Global, ast.Nonlocal)) for child in node.body)
    return not declared and not getattr(node, "type_params", [])


def _future_flags() -> int:
    flags = 0
    for name in __future__.all_feature_names:
        flags |= getattr(__future__, name).compiler_flag
    return flags


def _compile(text: str) -> CodeType:
    return compile(text, "", "exec", 0, dont_inherit=True, optimize=0)


def _bare(code: CodeType) -> CodeType:
    """The code object without line numbers and file name, down through nested code."""
    consts = tuple(_bare(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    table = "co_linetable" if hasattr(code, "co_linetable") else "co_lnotab"
    changes: dict[str, Any] = {"co_firstlineno": 1, "co_filename": "", table: b""}
    return code.replace(co_consts=consts, **changes)


def _lines(text: str) -> list[str]:
    return list(io.StringIO(text, newline=None))


def _changed(old: list[str], new: list[str]) -> tuple[int, int]:
    """Indices of the first line of the original that changed and of the line after the last."""
    limit = min(len(old), len(new))
    first = 0
    while first < limit and old[first] == new[first]:
        first += 1
    tail = 0
    while tail < limit - first and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return first, len(old) - tail


if __name__ == "__main__":
    _payload = json.load(sys.stdin)
    json.dump(check(_payload["text"], _payload["mutated"]), sys.stdout)
