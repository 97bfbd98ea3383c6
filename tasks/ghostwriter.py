"""Hypothesis' ghostwriter: property tests from signatures, names and annotations, with no seed."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from configs.models import GhostwriterConfig
from tasks.bwrap import ENVIRONMENT
from tasks.modules import module_of
from tasks.records import Environment, Limits, Subject
from tasks.tool_sandbox import ToolRun
from tasks.tools import Output, Tool, failure, requirements_beside

_LIMITS = Limits(memory_mb=1024)
_WALL_S = 120.0
_HEADER = "# This test code was written by the `hypothesis.extra.ghostwriter` module"


def tool(writer: GhostwriterConfig, subject: Subject) -> Tool:
    """Its run for the subject's function, or for all public functions of its targets."""
    roots = dict.fromkeys(f"/work/{root}".rstrip("/") for root in subject.import_roots)
    exceptions: dict[str, None] = {}
    wanted = []
    for target in subject.targets:
        _, module = module_of(subject, target)
        wanted.append(f"{module}.{subject.function}" if subject.function else module)
        exceptions.update((name, None) for name in raised(subject.source(target), module))
    words = [word for name in exceptions for word in ("--except", name)]
    # Its command line needs click, and black to format; with rich it would print for a terminal.
    needs = ["hypothesis[ghostwriter]", "click"]
    dropped: tuple[str, ...] = ()
    if writer.version is not None:
        needs[0] += f"=={writer.version}"
        dropped = ("hypothesis",)
    lines = requirements_beside(subject, *needs, without=dropped)
    return Tool(
        argv=(f"{ENVIRONMENT}/bin/hypothesis", "write", "--style", "pytest", *words, *wanted),
        environment=Environment(subject.environment.python, lines),
        limits=_LIMITS,
        wall_s=_WALL_S,
        read=_read,
        variables=(("PYTHONPATH", ":".join(roots)),),
    )


def raised(source: bytes, module: str) -> Iterator[str]:
    """Exceptions that a file raises by name, as the tool is to be told: these are no failures.

    Builtins by their name, others as attributes of the module. What is raised by way of a local
    name is not seen.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    known = _top_level(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and node.exc is not None:
            called = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            name = ast.unparse(called)
            if name.partition(".")[0] in known and name.replace(".", "").isidentifier():
                yield f"{module}.{name}"
            elif _is_exception(getattr(builtins, name, None)):
                yield name


def _is_exception(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, Exception)


def _top_level(tree: ast.Module) -> set[str]:
    """Names of the classes and imports of a module."""
    names = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    names |= {each.asname or each.name.partition(".")[0] for i in imports for each in i.names}
    return names


def _read(run: ToolRun) -> Output:
    bad = failure(run)
    if bad:
        return Output(None, bad)
    try:
        text = run.stdout.decode()
    except UnicodeDecodeError:
        return Output(None, "what it printed is not UTF-8")
    # What the subject prints when it is imported stands before the suite.
    before, header, rest = text.rpartition(_HEADER)
    if not header:
        return Output(None, "no test was written")
    return Output((header + rest).strip() + "\n", "", ("printed_text_cut",) if before else ())
