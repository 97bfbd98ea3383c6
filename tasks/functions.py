"""Function subjects from a JSONL file: one function a line, each a module of its own."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tasks.jsonl import Faults, Line, encode_source, read_jsonl
from tasks.problems import TARGET
from tasks.records import SourceFile, Subject, sha256
from tasks.signatures import Function

_REQUIRED = {"name": str, "source": str}
_OPTIONAL = dict.fromkeys(["module", "docstring", "issue", "family", "split", "licence"], str)
_NAME_LENGTH = 200


def load_functions(path: Path) -> list[Subject]:
    """Subjects in the file's order, without identity yet.

    ConfigError holds every wrong line of the file, NotFoundError says that there is no such file.
    """
    faults = Faults()
    subjects: list[Subject] = []
    places: dict[str, str] = {}
    for line in read_jsonl(path, _REQUIRED, _OPTIONAL, faults):
        name = line.values["name"]
        if name in places:
            faults.add(line.where, f"name {name!r} is taken by {places[name]}")
        places.setdefault(name, line.where)
        subject = _subject(line, faults)
        if subject is not None:
            subjects.append(subject)
    faults.check()
    return subjects


def _subject(line: Line, faults: Faults) -> Subject | None:
    values = line.values
    name = values["name"]
    if not name.strip() or not name.isprintable() or len(name) > _NAME_LENGTH:
        faults.add(line.where, f"name {name!r:.60} is empty, too long or not printable")
        return None
    data = encode_source(values["source"])
    try:
        module = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        faults.add(line.where, f"the source of {name!r} does not parse: {error}")
        return None
    function = _function(module, name)
    return Subject(
        subject_id="",
        name=name,
        kind="function",
        files=(SourceFile(TARGET, data),),
        targets=(TARGET,),
        module=values.get("module", "solution"),
        family=values.get("family", ""),
        split=values.get("split", ""),
        docstring=values.get("docstring", _docstring(module, function)),
        function=function.name if function else "",
        issue=values.get("issue", "").strip(),
        licence=values.get("licence", ""),
        source_sha256=sha256(data),
    )


def _function(module: ast.Module, name: str) -> Function | None:
    """The function named so, else the only one; `HumanEval.f` and `HumanEval/f` mean `f`."""
    functions = [node for node in module.body if isinstance(node, Function)]
    last = re.split(r"[./:]", name)[-1]
    named = [node for node in functions if node.name == last]
    chosen = named or (functions if len(functions) == 1 else [])
    return chosen[-1] if chosen else None


def _docstring(module: ast.Module, function: Function | None) -> str:
    """That of the function, else of the module."""
    return ast.get_docstring(function or module) or ""
