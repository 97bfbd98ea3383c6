"""The values that prompts are filled with: what a writer may be told of a subject."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace
from typing import Any

from configs.errors import ConfigError
from tasks.decoding import decode_source
from tasks.modules import module_of
from tasks.quoting import shortened
from tasks.records import Mutant, Subject, Suite
from tasks.repairs import Failure
from tasks.signatures import Function, Source, documented

FAILURE_BYTES = 16_000

# Values that a subject may lack; a prompt that needs one of them cannot be used for it.
LACKING = {
    "code": "its source cannot be read",
    "signature": "the subject is no single function",
    "docstring": "the subject has no docstring",
    "specification": "the subject has no docstring",
    "issue": "the subject has no issue text",
    "tests": "it is only known when a suite is repaired",
    "failures": "it is only known when a suite is repaired",
}


def prompt_context(
    subject: Subject, mutants: Sequence[Mutant], cap: int | None = None
) -> dict[str, Any]:
    """Values for `prompts.render`; what the subject lacks is left out, so that using it fails.

    `code` is the version as found: the first planted mutant that compiles, else the subject's own
    source. All else is of the subject's own source. ConfigError when it has several targets, since
    a suite is written for one module, or does not parse.
    """
    target, own = _target(subject)
    planted = [m for m in mutants if m.planted and m.path == target and m.status == "ok"]
    shown = _source(planted[0].source, subject, target) if planted else own
    function = own.function(subject.function) if subject.function else None
    chosen, shown_function = function or own.tree, shown.function(subject.function)
    values = {
        "subject": subject.name,
        "module": module_of(subject, target)[1],
        "function": function.name if function else "",
        "cap": cap,
        "code": shown.text,
        "docstring": subject.docstring,
        "issue": subject.issue,
        "signature": own.signature(function) if function else "",
        "specification": "",
        "docstring_beside_specification": _beside(subject, chosen),
        "docstring_beside_code": _beside(subject, shown_function or shown.tree),
    }
    if subject.docstring or documented(chosen):
        values["specification"] = own.stub(subject.function)
    return {key: each for key, each in values.items() if each != "" or key not in LACKING}


def repair_context(
    context: Mapping[str, Any], suite: Suite, failures: Sequence[Failure]
) -> dict[str, Any]:
    """The same with the suite's text as it was run and its failures on the correct code.

    So many failures as go into 16,000 bytes are shown; `more_failures` counts the others.
    """
    shown: list[Failure] = []
    room = FAILURE_BYTES
    for failure in failures:
        failure = replace(failure, test=shortened(failure.test))
        room -= sum(len(part.encode("utf-8", "replace")) + 20 for part in astuple(failure))
        if room < 0:
            break
        shown.append(failure)
    return {
        **context,
        "tests": suite.source,
        "failures": shown,
        "more_failures": len(failures) - len(shown),
    }


def _target(subject: Subject) -> tuple[str, Source]:
    if len(subject.targets) != 1:
        raise ConfigError(
            f"subject {subject.name}: a model writes for one module, "
            f"and there are {len(subject.targets)} targets"
        )
    target = subject.targets[0]
    return target, _source(subject.source(target), subject, target)


def _source(data: bytes, subject: Subject, target: str) -> Source:
    try:
        return Source(decode_source(data).text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ConfigError(f"subject {subject.name}: {target} does not parse: {error}") from None


def _beside(subject: Subject, node: ast.Module | Function) -> str:
    """The subject's docstring if it was given apart from a source that holds another or none."""
    same = (ast.get_docstring(node) or "").split() == subject.docstring.split()
    return "" if same else subject.docstring
