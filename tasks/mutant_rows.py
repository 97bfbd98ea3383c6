"""JSONL files of hand-made mutants: rows with their places, and all their mistakes together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks.records import Subject

COMMON = {"id": str, "subject": str, "file": str, "category": str, "operator": str}


@dataclass(frozen=True)
class MutantRow:
    """One line; `where` is file:line, for messages. `file` is a target of the subject."""

    where: str
    id: str
    file: str
    values: Mapping[str, Any]


def read_rows(
    path: Path, subject: Subject, required: Mapping[str, type], optional: Mapping[str, type]
) -> tuple[list[MutantRow], list[str]]:
    """Sound rows for this subject, and one line for each mistake anywhere in the file.

    A row with a `subject` is only for the subject of that name, one without is for every subject.
    `file` may be left out where there is one target.
    """
    rows: list[MutantRow] = []
    faults: list[str] = []
    places: dict[tuple[str, str], str] = {}
    for where, line in _lines(path, faults):
        values = _values(line, {"id": str, **required}, {**COMMON, **optional}, where, faults)
        if values is None or values.get("subject", subject.name) != subject.name:
            continue
        key = (values.get("subject", ""), values["id"])
        if key in places:
            faults.append(f"{where}: id {values['id']!r} is used before, at {places[key]}")
        places.setdefault(key, where)
        file = values.get("file") or (subject.targets[0] if len(subject.targets) == 1 else "")
        if file in subject.targets:
            rows.append(MutantRow(where, values["id"], file, values))
        else:
            targets = ", ".join(subject.targets)
            faults.append(
                f"{where}: file {file!r} is no target of subject {subject.name}; it has {targets}"
            )
    return rows, faults


def _lines(path: Path, faults: list[str]) -> Iterator[tuple[str, str]]:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        faults.append(f"{path}: no such file")
        return
    except (OSError, UnicodeDecodeError) as error:
        faults.append(f"{path}: {error}")
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"{path}:{number}", line


def _values(
    line: str,
    required: Mapping[str, type],
    optional: Mapping[str, type],
    where: str,
    faults: list[str],
) -> dict[str, Any] | None:
    try:
        values = json.loads(line)
    except json.JSONDecodeError as error:
        faults.append(f"{where}: not JSON: {error.msg} at column {error.colno}")
        return None
    if not isinstance(values, dict):
        faults.append(f"{where}: not an object")
        return None
    types = {**optional, **required}
    found = [f"key {key!r} is missing" for key in required if key not in values]
    found += [f"unknown key {key!r}" for key in values if key not in types]
    found += [
        f"{key} is not a {types[key].__name__}"
        for key in values
        if key in types and not isinstance(values[key], types[key])
    ]
    faults += [f"{where}: {fault}" for fault in found]
    return None if found else values
