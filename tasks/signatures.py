"""What a caller may know of a module: signatures as they are written, docstrings, and no body."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence

from tasks.decoding import split_lines
from tasks.parsing import first_line, last_line

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Place = tuple[int, int]


class Source:
    """A module's text, taken apart. Line ends become LF; SyntaxError when it does not parse."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.tree = ast.parse(self.text)
        self._lines = split_lines(self.text)
        self._colons = list(_outer_colons(self.text))

    def function(self, name: str) -> Function | None:
        """The top-level function of that name; the last one, which is the one that counts."""
        found = [n for n in self.tree.body if isinstance(n, Function) and n.name == name]
        return found[-1] if found else None

    def signature(self, node: Definition) -> str:
        """From the first decorator to the colon, as it is written."""
        start, body = (first_line(node), 0), node.body[0]
        # A body may begin with a decorator that holds a colon of its own.
        first = min([_start(body), *map(_start, getattr(body, "decorator_list", []))])
        stop = max(c for c in self._colons if _start(node) < c < self._characters(first))
        return self._between(start, (stop[0], stop[1] + 1)).rstrip()

    def stub(self, name: str) -> str:
        """Signature and docstring of one function, or of all that is public when `name` is ""."""
        function = self.function(name) if name else None
        parts = [self._stub(function)] if function else list(self._module())
        return "\n\n\n".join(parts) + "\n"

    def _module(self) -> Iterator[str]:
        if docstring := self._docstring(self.tree):
            yield docstring
        yield from map(self._stub, _public(self.tree.body))

    def _stub(self, node: Definition) -> str:
        """The definition with docstrings for bodies, or `...` for want of one."""
        indent = self._lines[node.lineno - 1][: node.col_offset] + "    "
        parts = [self._docstring(node, indent)]
        if isinstance(node, ast.ClassDef):
            parts += [self._stub(each) for each in _public(node.body)]
        body = "\n\n".join(part for part in parts if part)
        return f"{self.signature(node)}\n{body or indent + '...'}"

    def _docstring(self, node: Definition | ast.Module, indent: str = "") -> str:
        """The literal as it is written, on a line of its own, or nothing."""
        if ast.get_docstring(node, clean=False) is None:
            return ""
        literal = node.body[0]
        start = self._characters(_start(literal))
        end = self._characters((last_line(literal), literal.end_col_offset or 0))
        before = self._lines[literal.lineno - 1][: start[1]]
        return (before if before.isspace() else indent) + self._between(start, end)

    def _between(self, start: Place, stop: Place) -> str:
        lines = self._lines[start[0] - 1 : stop[0]]
        lines[-1] = lines[-1][: stop[1]]
        lines[0] = lines[0][start[1] :]
        return "".join(lines)

    def _characters(self, place: Place) -> Place:
        """A place of the syntax tree, whose columns count bytes, in characters."""
        line, column = place
        return line, len(self._lines[line - 1].encode()[:column].decode())


def documented(node: ast.Module | Definition) -> bool:
    """Whether the node or a public definition in it has a docstring."""
    if ast.get_docstring(node):
        return True
    inner: Sequence[ast.stmt] = [] if isinstance(node, Function) else node.body
    return any(documented(each) for each in _public(inner))


def _public(body: Sequence[ast.stmt]) -> list[Definition]:
    """Functions and classes that callers use: dunder names, and those without an underscore."""
    return [
        node
        for node in body
        if isinstance(node, Definition)
        and (not node.name.startswith("_") or (node.name[:2] == node.name[-2:] == "__"))
    ]


def _outer_colons(text: str) -> Iterator[Place]:
    """Where colons stand that are in no bracket: (line, column in characters)."""
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
            if token.string == ":" and depth == 0:
                yield token.start


def _start(node: ast.stmt | ast.expr) -> Place:
    return node.lineno, node.col_offset
