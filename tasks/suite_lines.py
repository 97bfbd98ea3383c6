"""A JSONL file of suites made elsewhere: `{"subject", "replicate", "source"}` a line.

Files hold thousands of lines and are asked once a cell, so each is read once per version.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from configs.errors import NotFoundError
from tasks.jsonl import Faults, read_jsonl

_REQUIRED = {"subject": str, "source": str}
_OPTIONAL = {"replicate": int, "model": str, "condition": str}


@dataclass(frozen=True)
class SuiteLine:
    """One suite; `subject` is a subject's name or id, replicates count from 0."""

    subject: str
    replicate: int
    source: str
    model: str = ""
    condition: str = ""


def suite_lines(path: Path) -> Mapping[tuple[str, int], SuiteLine]:
    """Suites by subject and replicate. ConfigError holds all wrong lines together."""
    try:
        status = path.stat()
    except OSError as error:
        raise NotFoundError(f"{path}: {error.strerror}") from error
    return _read(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=16)
def _read(path: Path, changed_ns: int, size: int) -> Mapping[tuple[str, int], SuiteLine]:
    faults = Faults()
    found: dict[tuple[str, int], SuiteLine] = {}
    places: dict[tuple[str, int], str] = {}
    for line in read_jsonl(path, _REQUIRED, _OPTIONAL, faults):
        suite = SuiteLine(**{"replicate": 0, **line.values})
        key = (suite.subject, suite.replicate)
        if suite.replicate < 0:
            faults.add(line.where, "key 'replicate' is below 0")
        if key in found:
            faults.add(
                line.where,
                f"a suite of subject {suite.subject!r}, replicate {suite.replicate}, is at"
                f" {places[key]} already",
            )
        found.setdefault(key, suite)
        places.setdefault(key, line.where)
    faults.check()
    return found
