"""The process that outlives a killed driver just long enough to clear up after its local Ray.

Run as a plain script with the folder of the Ray session, the driver's process id and its session id
as arguments and a pipe from the driver as its standard input. Standard library only, and nothing of
ours: it starts without site packages. When the pipe closes, it ends every process of the driver's
session that still holds a file of that folder open (Ray's own agents go on for a minute without a
driver) and removes the folder.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

PATIENCE_S = 10.0


def holders(folder: Path, session: int, spare: int) -> Iterator[int]:
    """Processes of a session that have a file below `folder` open, other than `spare`."""
    prefix = f"{folder}/"
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != spare and _holds(entry, session, prefix):
            yield int(entry.name)


def _holds(process: Path, session: int, prefix: str) -> bool:
    try:
        if os.getsid(int(process.name)) != session:
            return False
        return any(_target(link).startswith(prefix) for link in (process / "fd").iterdir())
    except OSError:
        return False


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        return ""


def clear(folder: Path, session: int, driver: int) -> None:
    """End the folder's processes and remove it; gives up on what cannot be ended."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        left = list(holders(folder, session, driver))
        for pid in left:
            _kill(pid)
        # A process that was only starting may write once more, so this goes on until nothing does.
        shutil.rmtree(folder, ignore_errors=True)
        if not left and not folder.exists():
            return
        time.sleep(0.05)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        return


def main() -> None:
    """Wait for the driver's end, then clear up; a Ctrl-C meant for the driver is not for us."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    folder, driver, session = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    sys.stdin.buffer.read()
    clear(folder, session, driver)


if __name__ == "__main__":
    main()
