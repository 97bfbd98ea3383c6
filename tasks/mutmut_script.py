"""Runs mutmut's engine over source files and reports each mutant as one replacement in the text.

A script for the Python that holds the wanted release of mutmut; standard library, mutmut and its
libcst only. One JSON request a line on stdin, one JSON answer a line on stdout:

    {"path": "pkg/mod.py", "text": "..."}
    {"version": "3.8.1", "mutants": [[name, operator, start, end, new text]], "rules": [...]}
    {"version": "3.8.1", "unreadable": "..."}   where libcst cannot parse the file
    {"version": "3.8.1", "error": "..."}

Offsets count characters of the text. `rules` names what this release skips and others do not,
found out by trying. mutmut itself says which mutants there are, in which order
and under which names: its two functions that lay them out are called through recorders.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import libcst as cst

try:
    from mutmut.utils.format_utils import get_mutant_name
except ImportError:  # the same rule, then hidden in a module with side effects

    def get_mutant_name(relative_source_path: Path, mutant_method_name: str) -> str:
        module = ".".join(relative_source_path.with_suffix("").parts).removeprefix("src.")
        return f"{module}.{mutant_method_name}".replace(".__init__.", ".")


def engine() -> Any:
    """mutmut's module of mutations, wherever this release keeps it."""
    try:
        return importlib.import_module("mutmut.mutation.file_mutation")
    except ImportError:
        return importlib.import_module("mutmut.file_mutation")


PROBES = {
    "decorated classes": "@d\nclass A:\n    def f(self):\n        return 1\n",
    "enum hooks": "class A(Enum):\n    def __init__(self):\n        self.x = 1\n",
}


class Recorder:
    """Stands in for mutmut's layout functions and keeps what they decide."""

    def __init__(self, engine: Any) -> None:
        self.module: cst.Module | None = None
        self.functions: list[tuple[cst.FunctionDef, list[tuple[str, str, cst.FunctionDef]]]] = []
        self._operators: dict[int, tuple[cst.CSTNode, str]] = {}
        self._engine = engine
        self._arrange = engine.function_trampoline_arrangement
        self._combine = engine.combine_mutations_to_source
        engine.function_trampoline_arrangement = self.arrange
        engine.combine_mutations_to_source = self.combine
        engine.mutation_operators = [
            (node_type, self._named(operator)) for node_type, operator in engine.mutation_operators
        ]

    def run(self, path: str, text: str) -> None:
        """Let mutmut mutate one file; afterwards `module` and `functions` are those of it."""
        self.module, self.functions, self._operators = None, [], {}
        self._engine.mutate_file_contents(path, text)

    def combine(self, module: cst.Module, *args: Any, **kwargs: Any) -> Any:
        self.module = module
        return self._combine(module, *args, **kwargs)

    def arrange(self, function: cst.FunctionDef, mutants: Any, class_name: str | None) -> Any:
        """Calls mutmut and keeps its mutated functions under the original's name.

        The nodes go no further: rendering the file with trampolines would only cost time.
        """
        mutants = list(mutants)
        *groups, names = self._arrange(function, mutants, class_name=class_name)
        made = {node.name.value: node for node in _functions(groups)}
        self.functions.append(
            (
                function,
                [
                    (name, self._operator(mutant), made[name].with_changes(name=function.name))
                    for name, mutant in zip(names, mutants, strict=True)
                ],
            )
        )
        return (*([] for _ in groups), names)

    def _operator(self, mutant: Any) -> str:
        return self._operators[id(mutant.mutated_node)][1]

    def _named(self, operator: Callable[[Any], Any]) -> Callable[[Any], Iterator[cst.CSTNode]]:
        name = operator.__name__.removeprefix("operator_")

        def wrapper(node: Any) -> Iterator[cst.CSTNode]:
            for mutated in operator(node):
                # The node is kept too: an id is only good while its object lives.
                self._operators[id(mutated)] = (mutated, name)
                yield mutated

        return wrapper


def _functions(groups: Any) -> Iterator[cst.FunctionDef]:
    for node in groups:
        if isinstance(node, cst.FunctionDef):
            yield node
        elif isinstance(node, list | tuple):
            yield from _functions(node)


class Layout:
    """Where each function of a module lies in its text, and how a changed one is written."""

    def __init__(self, module: cst.Module, text: str) -> None:
        self.module = module
        self.text = text if module.has_trailing_newline else text + module.default_newline
        self.ends: dict[int, int] = {}
        self.shells: dict[int, tuple[cst.ClassDef, int]] = {}
        offset = sum(len(module.code_for_node(line)) for line in module.header)
        for statement in module.body:
            if isinstance(statement, cst.ClassDef):
                self._add_methods(statement, offset)
            offset += len(module.code_for_node(statement))
            self.ends[id(statement)] = offset
        offset += sum(len(module.code_for_node(line)) for line in module.footer)
        self.dropped = len(self.text) - offset

    def _add_methods(self, node: cst.ClassDef, offset: int) -> None:
        if not isinstance(node.body, cst.IndentedBlock):
            return
        shell = node.with_changes(body=node.body.with_changes(footer=[]))
        head = self._head_length(shell)
        offset += head
        for child in node.body.body:
            self.shells[id(child)] = shell, head
            offset += len(self._write(child, shell, head))
            self.ends[id(child)] = offset

    def place(self, function: cst.FunctionDef) -> tuple[int, str]:
        """Offset and text of a function, without the blank lines and comments before it."""
        written = self.write(function, function)
        start = self.ends[id(function)] - len(written)
        # libcst drops a form feed or backslash here and there, and what follows moves up by that.
        found = self.text.find(written, start, start + len(written) + self.dropped)
        if found < 0:
            raise ValueError(f"libcst does not write {function.name.value} back as it was")
        return found, written

    def write(self, node: cst.FunctionDef, instead_of: cst.FunctionDef) -> str:
        bare = node.with_changes(leading_lines=[])
        shell = self.shells.get(id(instead_of))
        return self._write(bare, *shell) if shell else self.module.code_for_node(bare)

    def _write(self, member: Any, shell: cst.ClassDef, head: int) -> str:
        """Text of a class's member, indented as it is there."""
        body = shell.body.with_changes(body=[member])
        return self.module.code_for_node(shell.with_changes(body=body))[head:]

    def _head_length(self, shell: cst.ClassDef) -> int:
        indent = getattr(shell.body, "indent", None)
        indent = self.module.default_indent if indent is None else indent
        member = f"{indent}pass{self.module.default_newline}"
        return len(self._write(cst.parse_statement("pass"), shell, 0)) - len(member)


def replacement(old: str, new: str) -> tuple[int, int, str]:
    """Smallest span of `old` to replace, and by what."""
    start = _common_prefix(old, new)
    tail = _common_prefix(old[start:][::-1], new[start:][::-1])
    return start, len(old) - tail, new[start : len(new) - tail]


def _common_prefix(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))


def mutate(recorder: Recorder, path: str, text: str) -> dict[str, Any]:
    """All mutants of one file, in mutmut's order."""
    try:
        recorder.run(path, text)
        if recorder.module is None:
            raise ValueError("this release lays out mutants in a way that is not known here")
        layout = Layout(recorder.module, text)
    except cst.ParserSyntaxError as error:
        return {"unreadable": f"line {error.raw_line}: {error.message}"}
    mutants = []
    for function, made in recorder.functions:
        offset, old = layout.place(function)
        for name, operator, node in made:
            start, end, new = replacement(old, layout.write(node, function))
            full_name = get_mutant_name(Path(path), name)
            mutants.append([full_name, operator, offset + start, offset + end, new])
    return {"mutants": mutants}


def main() -> None:
    # mutmut prints at times; stdout belongs to the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    version = importlib.metadata.version("mutmut")
    with tempfile.TemporaryDirectory() as folder:
        # mutmut reads its configuration from the working folder: here it finds its defaults.
        os.chdir(folder)
        Path("lib").mkdir()
        recorder = Recorder(engine())
        rules = [
            name for name, text in PROBES.items() if not mutate(recorder, "p.py", text)["mutants"]
        ]
        for line in sys.stdin:
            request = json.loads(line)
            try:
                answer = mutate(recorder, request["path"], request["text"])
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
            answers.write(json.dumps({"version": version, "rules": rules, **answer}) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
