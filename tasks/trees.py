"""A subject's tree on disk: written once per content, then only read, mounted under an overlay."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path

from configs.errors import InfraError
from tasks.caching import locked, put
from tasks.records import SourceFile, Subject

# The sandbox's plain user: tests that write beside themselves act as the owner of the tree.
OWNER = 65534

_verified: set[Path] = set()


def ensure_tree(subject: Subject, cache: Path) -> Path:
    """Folder `trees/<hash>` of the cache, holding exactly the subject's files; nothing else ever.

    Written beside and renamed, and checked byte for byte on the first use in a process: a tree
    that was tampered with is put aside and written anew. Safe under concurrent callers.
    """
    path = cache.absolute() / "trees" / subject.tree_sha256
    marker = path.with_name(path.name + ".ready")
    if path in _verified and marker.exists():
        return path
    with locked(path):
        if not (marker.exists() and _is_whole(path, subject.files)):
            marker.unlink(missing_ok=True)
            _replace(path, subject.files)
            put(marker, b"")
    _verified.add(path)
    return path


def _replace(path: Path, files: tuple[SourceFile, ...]) -> None:
    fresh = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    old = fresh / "old"
    try:
        write_files(fresh / "new", files)
        if path.exists():
            path.rename(old)
        (fresh / "new").rename(path)
    except OSError as error:
        raise InfraError(f"the tree {path} cannot be written: {error}") from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def write_files(folder: Path, files: tuple[SourceFile, ...]) -> None:
    """Write files below a folder: modes 0644, 0755 and 0755 for folders; owned by OWNER if root."""
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    for file in files:
        path = folder / file.path
        if not path.resolve().is_relative_to(folder.resolve()) or path == folder:
            raise InfraError(f"{file.path!r} is not a path inside a tree")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
        path.chmod(0o755 if file.executable else 0o644)
    for parent, _, names in os.walk(folder):
        Path(parent).chmod(0o755)
        if os.geteuid() == 0:
            for each in (Path(parent), *(Path(parent, name) for name in names)):
                os.chown(each, OWNER, OWNER)


def _is_whole(path: Path, files: tuple[SourceFile, ...]) -> bool:
    """Whether the folder holds these files, byte for byte, and no others."""
    found = {
        Path(parent, name).relative_to(path).as_posix()
        for parent, _, names in os.walk(path)
        for name in names
    }
    return found == {file.path for file in files} and all(_same(path, file) for file in files)


def _same(path: Path, file: SourceFile) -> bool:
    place = path / file.path
    status = place.lstat()
    executable = bool(status.st_mode & stat.S_IXUSR)
    return (
        stat.S_ISREG(status.st_mode)
        and executable == file.executable
        and status.st_size == len(file.data)
        and place.read_bytes() == file.data
    )
