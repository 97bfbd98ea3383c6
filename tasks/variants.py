"""The engine `variants`: whole hand-written versions of a file.

They come with a problem set, or from a folder of `*.py`, or from a JSONL file with `source`.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from configs.errors import ConfigError
from tasks.drafts import Draft, Drafts
from tasks.jsonl import encode_source
from tasks.mutant_rows import read_rows
from tasks.problems import Variant, load_problem_set, problem_sets
from tasks.records import Subject

if TYPE_CHECKING:
    from configs.schema import MutantsConfig

PLANTED = "planted"


def variant_drafts(subject: Subject, config: MutantsConfig, base: Path, cache: Path) -> Drafts:
    """One mutant a version; those marked as planted stay so."""
    if config.file is None:
        return Drafts(tuple(_of_problem(subject)))
    place = base / config.file
    return Drafts(tuple(_of_folder(subject, place) if place.is_dir() else _of_rows(subject, place)))


def _of_problem(subject: Subject) -> list[Draft]:
    variants = _problem_variants().get((subject.name, subject.source_sha256))
    if variants is None:
        raise ConfigError(
            f"subject {subject.name}: engine variants needs a file, "
            "since the subject is of no built-in problem set"
        )
    path = subject.targets[0]
    return [_draft(path, v.name, v.source, v.category, v.planted) for v in variants]


@lru_cache(maxsize=1)
def _problem_variants() -> dict[tuple[str, str], tuple[Variant, ...]]:
    """By name and source, since the subject's id holds its environment too."""
    found = [problem for name in problem_sets() for problem in load_problem_set(name)]
    return {(each.subject.name, each.subject.source_sha256): each.variants for each in found}


def _of_folder(subject: Subject, folder: Path) -> list[Draft]:
    """`<stem>.py` is the variant named so; a stem of `planted` or `planted_*` marks it.

    A subfolder with the subject's name, if there is one, is meant instead of the folder.
    """
    own = folder / subject.name
    folder = own if own.is_dir() else folder
    files = sorted(folder.glob("*.py"))
    if not files:
        raise ConfigError(f"{folder}: no *.py file, so no variants of subject {subject.name}")
    if len(subject.targets) != 1:
        raise ConfigError(
            f"{folder}: subject {subject.name} has {len(subject.targets)} targets, and a folder "
            "of variants does not say which; use a JSONL file"
        )
    return [
        _draft(subject.targets[0], file.stem, file.read_bytes(), "", _is_planted(file.stem))
        for file in files
    ]


def _is_planted(stem: str) -> bool:
    return stem == PLANTED or stem.startswith(f"{PLANTED}_")


def _of_rows(subject: Subject, path: Path) -> list[Draft]:
    rows, faults = read_rows(path, subject, {"source": str}, {"planted": bool})
    if faults:
        raise ConfigError(faults)
    return [
        _draft(
            row.file,
            row.id,
            encode_source(row.values["source"]),
            row.values.get("category", ""),
            row.values.get("planted", False),
            row.values.get("operator", "variant"),
        )
        for row in rows
    ]


def _draft(
    path: str, name: str, data: bytes, category: str, planted: bool, operator: str = "variant"
) -> Draft:
    return Draft("variants", "", name, path, data, operator, category, planted)
