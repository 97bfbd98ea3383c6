"""The copy of a station's view that its children see and may write to.

A mount namespace beside the station's own: the station steps into it to fork a child and back. It
is made anew for every child, unless the one before left every layer that takes writes as it was;
then only the mutated file is rewritten, which spares the mounts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from . import kernel
from .views import LAYERS, TMP, WORK, View, overlay, write

_OWN = f"{LAYERS}/own"
_SHM = "/dev/shm"
_TAKE_WRITES = (f"{_OWN}/up", f"{_OWN}/tmp-up", _SHM)
_MOUNTS = "/proc/self/ns/mnt"
_FLAGS = kernel.MS_NOSUID | kernel.MS_NODEV

State = list[tuple[object, ...]]


class PrivateView:
    """One station's; nothing but `enter` and `leave` moves between the namespaces."""

    def __init__(self, view: View, tmp_mb: int) -> None:
        self._view = view
        self._size = f"size={tmp_mb}m"
        self._base = os.open(_MOUNTS, os.O_RDONLY)
        self._own: int | None = None
        self._mutated: frozenset[str] = frozenset()
        self._state: State = []
        self._folder = WORK

    @property
    def fds(self) -> set[int]:
        """Descriptors of the two namespaces, which no child keeps."""
        return {self._base} if self._own is None else {self._base, self._own}

    def enter(self, mutated: Mapping[str, bytes]) -> None:
        """Move this process in, with the mutated files in place and nothing else changed.

        The working folder of before is kept, since a suite may have changed it while it was
        collected.
        """
        self._folder = os.getcwd()
        if not self._reuse(mutated):
            self._make(mutated)
        self._state = list(_state())
        os.chdir(self._folder)

    def leave(self) -> None:
        """Back to the station's own view."""
        kernel.setns(self._base, kernel.CLONE_NEWNS)
        os.chdir(self._folder)

    def forget(self) -> None:
        """In a child: close what only the station needs."""
        for fd in self.fds:
            os.close(fd)

    def _reuse(self, mutated: Mapping[str, bytes]) -> bool:
        if self._own is None or mutated.keys() != self._mutated:
            return False
        kernel.setns(self._own, kernel.CLONE_NEWNS)
        if not self._unchanged():
            kernel.setns(self._base, kernel.CLONE_NEWNS)
            return False
        for path, data in mutated.items():
            write(WORK, path, data)
        return True

    def _unchanged(self) -> bool:
        """Looks no further than the first difference: a child may have made millions of files."""
        try:
            return all(now == before for now, before in zip_longest(_state(), self._state))
        except OSError:  # it may also have made folders too deep to be named
            return False

    def _make(self, mutated: Mapping[str, bytes]) -> None:
        if self._own is not None:
            os.close(self._own)
            self._own = None
        kernel.unshare(kernel.CLONE_NEWNS)
        kernel.mount("tmpfs", _OWN, "tmpfs", _FLAGS, f"{self._size},mode=0755")
        for name in ("up", "scratch", "tmp-up", "tmp-scratch"):
            os.mkdir(f"{_OWN}/{name}")
        os.chmod(f"{_OWN}/tmp-up", 0o1777)
        for path, data in mutated.items():
            write(f"{_OWN}/up", path, data)
        view = self._view
        lower = f"{view.upper}:{view.bytecode}:{view.tree}"
        overlay(WORK, lower, f"{_OWN}/up", f"{_OWN}/scratch")
        overlay(TMP, view.tmp, f"{_OWN}/tmp-up", f"{_OWN}/tmp-scratch")
        kernel.mount("tmpfs", _SHM, "tmpfs", _FLAGS, f"{self._size},mode=1777")
        self._own = os.open(_MOUNTS, os.O_RDONLY)
        self._mutated = frozenset(mutated)


def _state() -> Iterator[tuple[object, ...]]:
    """All that lies in the layers that take writes; whatever is done to a file moves its ctime."""
    waiting = list(_TAKE_WRITES)
    while waiting:
        folder = waiting.pop()
        yield folder, _facts(os.lstat(folder))
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    yield entry.path, _facts(entry.stat(follow_symlinks=False))


def _facts(status: os.stat_result) -> tuple[int, ...]:
    return status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns
