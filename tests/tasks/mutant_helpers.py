"""Subjects and engine configs for the tests of mutants."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from pathlib import Path

from configs.schema import MutantsConfig
from tasks.mutants import MutantSet, make_mutants
from tasks.records import Environment, Mutant, SourceFile, Subject


def subject(source: str | bytes, path: str = "pkg/mod.py", python: str = "3.11") -> Subject:
    """A project subject of one file, which is its target."""
    return subject_of({path: source}, python)


def subject_of(sources: dict[str, str | bytes], python: str = "3.11") -> Subject:
    files = tuple(
        SourceFile(path, text if isinstance(text, bytes) else textwrap.dedent(text).encode())
        for path, text in sources.items()
    )
    targets = tuple(file.path for file in files)
    return Subject("demo-1", "demo", "project", files, targets, Environment(python))


def config(engine: str, **keys: object) -> MutantsConfig:
    return MutantsConfig.model_validate({"engine": engine, **keys})


def mutmut_set(subject: Subject, cache: Path, **keys: object) -> MutantSet:
    return make_mutants(subject, [config("mutmut", **keys)], cache, cache)


def edit_set(subject: Subject, folder: Path, rows: Iterable[dict[str, object]]) -> MutantSet:
    """Mutants of an edits file with these rows; rows without an id are numbered from 0."""
    numbered = [{"id": str(number), **row} for number, row in enumerate(rows)]
    (folder / "edits.jsonl").write_text("".join(json.dumps(row) + "\n" for row in numbered))
    return make_mutants(subject, [config("edits", file="edits.jsonl")], folder, folder)


def by_name(mutant_set: MutantSet) -> dict[str, Mutant]:
    return {mutant.name: mutant for mutant in mutant_set.mutants}
