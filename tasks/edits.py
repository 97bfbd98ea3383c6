"""The engine `edits`: a JSONL file of replacements, each of a text that occurs exactly once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from configs.errors import ConfigError
from tasks.decoding import SourceText, decode_source
from tasks.drafts import Draft, Drafts
from tasks.mutant_rows import read_rows
from tasks.records import Subject

if TYPE_CHECKING:
    from configs.schema import MutantsConfig


def edit_drafts(subject: Subject, config: MutantsConfig, base: Path, cache: Path) -> Drafts:
    """One mutant a row, named by its id; ConfigError holds every mistake of the file."""
    if config.file is None:
        raise ConfigError("mutants: engine edits needs a file")
    rows, faults = read_rows(base / config.file, subject, {"old": str, "new": str}, {})
    drafts = []
    for row in rows:
        source = decode_source(subject.source(row.file))
        try:
            data = apply_edit(source, row.values["old"], row.values["new"])
        except ValueError as error:
            faults.append(f"{row.where}: edit {row.id!r}: {row.file}: {error}")
            continue
        operator, category = row.values.get("operator", "edit"), row.values.get("category", "")
        drafts.append(Draft("edits", "", row.id, row.file, data, operator, category))
    if faults:
        raise ConfigError(faults)
    return Drafts(tuple(drafts))


def apply_edit(source: SourceText, old: str, new: str) -> bytes:
    r"""The file's bytes with `old` replaced; ValueError unless it occurs exactly once.

    Where the file ends its lines in \r\n, a \n in the edit means that.
    """
    if "\r\n" in source.text:
        old, new = (text.replace("\r\n", "\n").replace("\n", "\r\n") for text in (old, new))
    count = _occurrences(source.text, old) if old else 0
    if count != 1:
        raise ValueError("old is empty" if not old else f"old occurs {count} times, not once")
    try:
        return source.encode(source.text.replace(old, new))
    except UnicodeEncodeError as error:
        bad = new[error.start] if error.object == new else error.object[error.start]
        raise ValueError(f"new holds {bad!r}, which {source.encoding} lacks") from None


def _occurrences(text: str, part: str) -> int:
    """How often it occurs, overlaps counted: an edit must leave no choice."""
    count, at = 0, text.find(part)
    while at >= 0:
        count, at = count + 1, text.find(part, at + 1)
    return count
