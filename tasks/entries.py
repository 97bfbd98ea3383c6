"""Entries of an archive or a revision: files and links by their path there, read into a tree."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass

from tasks.folders import is_litter
from tasks.records import SourceFile

_LINK_DEPTH = 8


@dataclass(frozen=True)
class Entry:
    """One file, or a link when `target` is set: a path from the top of the archive."""

    path: str
    data: bytes = b""
    executable: bool = False
    target: str | None = None


def link(path: str, target: str) -> Entry:
    """A symbolic link, whose target is relative to the folder it lies in."""
    return Entry(path, target=posixpath.normpath(posixpath.join(posixpath.dirname(path), target)))


def tree(entries: Iterable[Entry]) -> tuple[SourceFile, ...]:
    """Files by path, without litter; a link becomes the file it leads to, or nothing."""
    by_path = {entry.path: entry for entry in entries}
    files = []
    for path in sorted(by_path):
        found = _followed(by_path[path], by_path)
        if found is not None and not is_litter(path):
            files.append(SourceFile(path, found.data, found.executable))
    return tuple(files)


def _followed(entry: Entry, by_path: dict[str, Entry]) -> Entry | None:
    """The file behind a link, None when it leads to a folder or out of the archive."""
    found: Entry | None = entry
    for _ in range(_LINK_DEPTH):
        if found is None or found.target is None:
            return found
        found = by_path.get(found.target)
    return None
