"""The engine `variants`: whole hand-written versions of a file.

They come with a problem set, or from a folder of `*.py`, or from a JSONL file with `source`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from configs.errors import ConfigError
from tasks.decoding import decode_source
from tasks.drafts import Draft, Drafts
from tasks.mutant_rows import read_rows
from tasks.problems import load_problem_set, problem_sets
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
    for name in problem_sets():
        for problem in load_problem_set(name):
            if problem.subject.subject_id == subject.subject_id:
                return [
                    _draft(subject.targets[0], each.name, each.source, each.category, each.planted)
                    for each in problem.variants
                ]
    raise ConfigError(
        f"subject {subject.name}: engine variants needs a file, "
        "since the subject is of no built-in problem set"
    )


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
    drafts = []
    for row in rows:
        original = decode_source(subject.source(row.file))
        try:
            data = original.encode(row.values["source"])
        except UnicodeEncodeError as error:
            bad = error.object[error.start]
            faults.append(f"{row.where}: source holds {bad!r}, which {original.encoding} lacks")
            continue
        category, planted = row.values.get("category", ""), row.values.get("planted", False)
        operator = row.values.get("operator", "variant")
        drafts.append(_draft(row.file, row.id, data, category, planted, operator))
    if faults:
        raise ConfigError(faults)
    return drafts


def _draft(
    path: str, name: str, data: bytes, category: str, planted: bool, operator: str = "variant"
) -> Draft:
    return Draft("variants", "", name, path, data, operator, category, planted)
