"""YAML text read into plain values, with the line and column of each of them.

Scalars follow the core schema of YAML 1.2: `no` and `on` are text, `010` is ten, a date is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from configs.errors import ConfigError

Loc = tuple[str | int, ...]


class _Loader(yaml.SafeLoader):
    pass


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"^(?:[-+]?[0-9]+|0x[0-9a-fA-F]+)$", list("-+0123456789")),
    (
        "float",
        r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$",
        list("-+.0123456789"),
    ),
    ("float", r"^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$", list("-+.")),
    ("merge", r"^<<$", ["<"]),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _first)


def _construct_int(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int:
    text = node.value
    return int(text, 16) if text.startswith("0x") else int(text)


_Loader.add_constructor("tag:yaml.org,2002:int", _construct_int)


@dataclass(frozen=True)
class Document:
    """A YAML document: its plain value, and where things stand in it."""

    name: str
    value: Any
    root: yaml.Node | None

    def position(self, loc: Loc) -> tuple[int, int]:
        """Line and column, from 1, of the key or item at `loc` or of its nearest ancestor."""
        nodes = self._way(loc)
        return nodes[-1][1] if nodes else (1, 1)

    def place(self, loc: Loc) -> str:
        """`name:line:column` of that position, or only the name of what was never written."""
        if self.root is None and self.value is not None:
            return self.name
        line, column = self.position(loc)
        return f"{self.name}:{line}:{column}"

    def has(self, loc: Loc) -> bool:
        """Whether the document itself writes something at `loc`."""
        return len(self._way(loc)) == len(loc)

    def text(self, loc: Loc) -> str:
        """The characters of the scalar at `loc` as they were written, or nothing."""
        nodes = self._way(loc)
        node = nodes[-1][0] if nodes and len(nodes) == len(loc) else None
        return str(node.value) if isinstance(node, yaml.ScalarNode) else ""

    def _way(self, loc: Loc) -> list[tuple[yaml.Node, tuple[int, int]]]:
        """Nodes from the top down to `loc`, as far as there are any, with their positions."""
        way: list[tuple[yaml.Node, tuple[int, int]]] = []
        for step in loc:
            found = _child(way[-1][0] if way else self.root, step)
            if found is None:
                break
            way.append((found[0], (found[1].line + 1, found[1].column + 1)))
        return way


def read_document(text: str, name: str) -> Document:
    """Parse one YAML document; ConfigError names every repeated key, or the syntax error."""
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        problems = [] if root is None else list(_refused(root, name, (), set()))
        if problems:
            raise ConfigError(problems)
        value = None if root is None else loader.construct_document(root)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ConfigError(
            f"{name}:{line}: the character {chr(error.character)!r} is not YAML"
        ) from None
    except yaml.MarkedYAMLError as error:
        raise ConfigError(f"{_place(name, error.problem_mark)}: {_syntax(error)}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{name}: cannot be read: {error}") from None
    return Document(name, value, root)


def _refused(node: yaml.Node, name: str, above: tuple[int, ...], seen: set[int]) -> Iterator[str]:
    """Repeated keys and self-reference, at every depth; an aliased node is visited once."""
    if id(node) in above:
        yield f"{_place(name, node.start_mark)}: an anchor may not contain itself"
    if id(node) in seen or not isinstance(node, yaml.CollectionNode):
        return
    seen.add(id(node))
    above = (*above, id(node))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _refused(item, name, above, seen)
        return
    first: dict[str, yaml.Node] = {}
    for key, value in node.value:
        if isinstance(key, yaml.ScalarNode) and first.setdefault(key.value, key) is not key:
            line = first[key.value].start_mark.line + 1
            yield f"{_place(name, key.start_mark)}: {key.value} is given twice (also line {line})"
        yield from _refused(value, name, above, seen)


def _syntax(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or "not YAML"
    if "'\\t'" in problem:
        return "a tab may not indent; use spaces"
    if not error.context:
        return problem
    begun = f" (begun on line {error.context_mark.line + 1})" if error.context_mark else ""
    return f"{error.context}{begun}: {problem}"


def _child(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node, yaml.Mark] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
        if step < len(node.value):
            return node.value[step], node.value[step].start_mark
    elif isinstance(node, yaml.MappingNode):
        # Merged pairs come before the mapping's own, so the last one is the one that holds.
        for key, value in reversed(node.value):
            if isinstance(key, yaml.ScalarNode) and key.value == str(step):
                return value, key.start_mark
    return None


def _place(name: str, mark: yaml.Mark | None) -> str:
    return f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
