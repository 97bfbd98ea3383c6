"""Folders of the user's disk read into records; nothing in them is ever changed.

Left out is what tools leave behind: version control, bytecode, caches, virtual environments,
built distributions, result stores. Links are followed as long as they stay inside the folder.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from configs.errors import NotFoundError
from tasks.records import SourceFile

SIZE_CAP_MB = 256

_LITTER_FOLDERS = frozenset(
    [
        *(".git", ".hg", ".svn", ".idea", ".vscode", ".ipynb_checkpoints", "__pycache__"),
        *(".tox", ".nox", ".venv", ".eggs", "node_modules", ".hypothesis"),
        *(".mypy_cache", ".pytest_cache", ".ruff_cache", ".import_linter_cache"),
    ]
)
_LITTER_FILES = frozenset([".DS_Store", ".coverage"])
_BUILD_FOLDERS = ("build", "dist", "htmlcov", "mutants")


class SizeCap:
    """Adds up the files of one tree and refuses the tree that grows too large."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._bytes = 0
        self._largest = (0, "")

    def add(self, path: str, size: int) -> None:
        self._bytes += size
        self._largest = max(self._largest, (size, path))
        if self._bytes > SIZE_CAP_MB << 20:
            size_mb = self._largest[0] / (1 << 20)
            raise NotFoundError(
                f"{self._what} holds more than {SIZE_CAP_MB} MiB of files; the largest so far is"
                f" {self._largest[1]} ({size_mb:.1f} MiB): is this the project's own folder?"
            )


def is_litter(path: str) -> bool:
    """Whether a relative path is bytecode or lies in a folder that a tool left behind."""
    *folders, name = path.split("/")
    if name in _LITTER_FILES or name.endswith((".pyc", ".pyo")):
        return True
    return any(folder in _LITTER_FOLDERS for folder in folders)


def read_folder(folder: Path) -> tuple[SourceFile, ...]:
    """All files of a folder, by path; NotFoundError when there is none or it is too large."""
    if not folder.is_dir():
        raise NotFoundError(f"{folder}: no such folder")
    cap = SizeCap(str(folder))
    top = folder.resolve()
    files = [_read(top, path, cap) for path in _walk(top, top, ())]
    return tuple(sorted(files, key=lambda file: file.path))


def _walk(top: Path, folder: Path, above: tuple[Path, ...]) -> Iterator[Path]:
    """Regular files below a folder; `above` are the real folders that lead here, against loops."""
    here = folder.resolve()
    with os.scandir(folder) as entries:
        children = sorted(entries, key=lambda entry: entry.name)
    for child in children:
        path = folder / child.name
        if child.is_symlink() and not path.resolve().is_relative_to(top):
            continue
        if child.is_dir():
            if path.resolve() not in (*above, here) and not _left_behind(top, path):
                yield from _walk(top, path, (*above, here))
        elif child.is_file() and not is_litter(child.name):
            yield path


def _left_behind(top: Path, folder: Path) -> bool:
    if folder.name in _LITTER_FOLDERS or (folder / "pyvenv.cfg").exists():
        return True
    if (folder / "CACHEDIR.TAG").exists() or _is_store(folder):
        return True
    built = folder.parent == top and folder.name in _BUILD_FOLDERS
    return built and not (folder / "__init__.py").exists()


def _is_store(folder: Path) -> bool:
    """A results folder: were it part of the tree, every run would make another subject."""
    manifests = (child / "manifest.json" for child in folder.iterdir() if child.is_dir())
    return any(each.is_file() and b'"experiment_id"' in each.read_bytes() for each in manifests)


def _read(top: Path, path: Path, cap: SizeCap) -> SourceFile:
    name = path.relative_to(top).as_posix()
    try:
        status = path.stat()
        cap.add(name, status.st_size)
        return SourceFile(name, path.read_bytes(), bool(status.st_mode & stat.S_IXUSR))
    except OSError as error:
        raise NotFoundError(f"{path} cannot be read: {error.strerror}") from error
