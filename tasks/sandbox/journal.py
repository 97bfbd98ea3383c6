"""Shared memory through which a child reports: it survives whatever the child does to its files.

Layout: a header (owner pid, end of the records, current test, start of that test on the wall and on
the child's CPU clock, end marker), then records, each a length and JSON. A process that is not the
owner (a test that forked) writes nothing, so no record comes twice.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import time
from typing import Any

_HEADER = struct.Struct("<QQqddQ")
_LENGTH = struct.Struct("<I")
SIZE = 64 * 1024 * 1024  # allocated by the kernel as it is touched
IDLE = -1
COLLECTING = -2


class JournalFullError(Exception):
    """More was to be recorded than the journal holds."""


class Journal:
    """One shared mapping, reused for every child of a station."""

    def __init__(self, fd: int | None = None) -> None:
        if fd is None:
            fd = os.memfd_create("journal")
            os.ftruncate(fd, SIZE)
        self.fd = fd
        self._map = mmap.mmap(fd, SIZE)
        self._owner = 0

    def close(self) -> None:
        """Give the mapping and its descriptor back."""
        self._map.close()
        os.close(self.fd)

    # -- the parent's side

    def reset(self) -> None:
        """Forget everything before a child is forked."""
        _HEADER.pack_into(self._map, 0, 0, _HEADER.size, COLLECTING, time.monotonic(), 0.0, 0)

    @property
    def current(self) -> tuple[int, float, float]:
        """(test ordinal or COLLECTING or IDLE, start on the monotonic clock, start in CPU s)."""
        _, _, ordinal, wall, cpu, _ = _HEADER.unpack_from(self._map, 0)
        return ordinal, wall, cpu

    @property
    def ended(self) -> bool:
        """Whether the child said that it had finished."""
        return bool(_HEADER.unpack_from(self._map, 0)[5])

    def records(self) -> list[list[Any]]:
        """Everything that was completely recorded."""
        end = min(_HEADER.unpack_from(self._map, 0)[1], SIZE)
        position, found = _HEADER.size, []
        while position + _LENGTH.size <= end:
            (length,) = _LENGTH.unpack_from(self._map, position)
            position += _LENGTH.size
            found.append(json.loads(self._map[position : position + length]))
            position += length
        return found

    # -- the child's side

    def own(self) -> None:
        """From now on this process, and no child of it, is the one that reports."""
        self._owner = os.getpid()

    def begin(self, ordinal: int) -> None:
        """Say which test runs now, so that its time can be watched from outside."""
        if os.getpid() == self._owner:
            end = _HEADER.unpack_from(self._map, 0)[1]
            now, cpu = time.monotonic(), time.process_time()
            _HEADER.pack_into(self._map, 0, self._owner, end, ordinal, now, cpu, 0)

    def record(self, *values: Any) -> None:
        """Append one record; the header moves last, so a torn record is never read."""
        if os.getpid() != self._owner:
            return
        data = json.dumps(values).encode()
        _, end, ordinal, wall, cpu, ended = _HEADER.unpack_from(self._map, 0)
        new_end = end + _LENGTH.size + len(data)
        if new_end > SIZE:
            raise JournalFullError(f"journal is full at {end} bytes")
        self._map[end + _LENGTH.size : new_end] = data
        _LENGTH.pack_into(self._map, end, len(data))
        _HEADER.pack_into(self._map, 0, self._owner, new_end, ordinal, wall, cpu, ended)

    def end(self) -> None:
        """Say that everything asked for has been done."""
        if os.getpid() == self._owner:
            end = _HEADER.unpack_from(self._map, 0)[1]
            _HEADER.pack_into(self._map, 0, self._owner, end, IDLE, time.monotonic(), 0.0, 1)
