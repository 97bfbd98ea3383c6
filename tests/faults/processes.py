"""Owns how processes are started, found and ended: only our own, one at a time, by their id."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


def start(
    command: Sequence[str], environment: Mapping[str, str], output: IO[bytes] | int
) -> subprocess.Popen[bytes]:
    """Start a command that ends with this process, however that ends. Main thread only."""
    return subprocess.Popen(
        command,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        cwd="/",
        preexec_fn=lambda: _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL),
    )


def only_child(parent: int, within_s: float = 10.0) -> int:
    """The process that `unshare --fork` or `nsenter --pid` waits for."""
    found: list[int] = []

    def look() -> bool:
        found[:] = children(parent)
        return bool(found)

    if not wait_until(look, within_s, 0.02):
        raise RuntimeError(f"process {parent} has started nothing within {within_s:.0f} s")
    return found[0]


def children(parent: int) -> list[int]:
    try:
        text = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def pid_namespace(pid: int) -> str:
    return str(Path(f"/proc/{pid}/ns/pid").readlink())


def titled(prefix: str, namespace: str) -> Iterator[tuple[int, str]]:
    """Processes directly in a pid namespace whose title begins so, with their titles."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                title = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
                if title.startswith(prefix) and pid_namespace(int(entry.name)) == namespace:
                    yield int(entry.name), title


def kill_in(namespace: str, pid: int) -> bool:
    """End a process if it is still one of that pid namespace; a reused id is never hit."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        if pid_namespace(pid) != namespace:
            return False
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def wait_until(true: Callable[[], bool], within_s: float, every_s: float = 0.2) -> bool:
    """Whether it came true in time."""
    until = time.monotonic() + within_s
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(every_s)
    return True


def end(process: subprocess.Popen[bytes]) -> None:
    """Ask a process of ours to end, then end it."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def tail(path: Path, lines: int = 15) -> str:
    """The last lines of a log; empty when there is none."""
    text = path.read_text(errors="replace") if path.exists() else ""
    return "\n".join(text.splitlines()[-lines:])
