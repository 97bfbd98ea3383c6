"""Entries of the local cache: one builder at a time on a machine, files put whole or not at all."""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(entry: Path) -> Iterator[None]:
    """Hold the lock of a cache entry against every other process of this machine.

    The lock is a file beside the entry that stays for good: removing it would let two in.
    """
    lock = entry.with_name(entry.name + ".lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def build_once(entry: Path, build: Callable[[Path], None]) -> None:
    """A folder of the cache, there whole or not at all; `build` makes it at a path beside it."""
    with locked(entry):
        if entry.exists():
            return
        with tempfile.TemporaryDirectory(
            dir=entry.parent, prefix=f".{entry.name}.", ignore_cleanup_errors=True
        ) as folder:
            fresh = Path(folder) / "new"
            build(fresh)
            fresh.rename(entry)


def put(path: Path, data: bytes) -> None:
    """Write a file so that readers see all of it or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def open_to_all(path: Path) -> None:
    """The sandbox reads as another user, whatever umask built this."""
    for folder, _, names in os.walk(path):
        for each in [Path(folder), *(Path(folder, name) for name in names)]:
            if not each.is_symlink():
                mode = stat.S_IMODE(each.stat().st_mode)
                each.chmod(mode | 0o444 | (0o111 if mode & 0o100 else 0))
