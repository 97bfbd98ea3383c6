"""Owns the question whether this process may be forked once per mutant.

What a fork shares with its parent instead of copying would carry one mutant's doings to the next;
what it does not inherit would be missing from every child.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Collection

_PATIENCE = 10
_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)


def open_descriptors() -> frozenset[int]:
    """The open file descriptors, without that of the listing itself."""
    return frozenset(fd for fd in map(int, os.listdir("/proc/self/fd")) if _inode(fd))


def process_refusal(allowed_fds: Collection[int]) -> str:
    """Why forking this process is unsound; empty when it is not.

    Threads, children, file descriptors outside `allowed_fds`, writable shared memory that belongs
    to none of these, a running event loop, a timer, a tracer or profiler.
    """
    try:
        return (
            _threads()
            or _children()
            or _descriptors(allowed_fds)
            or _shared_memory(allowed_fds)
            or _event_loop()
            or _timers()
            or _tracers()
        )
    except OSError as error:
        return f"the state of the process cannot be told: {error}"


def _threads() -> str:
    for _ in range(_PATIENCE):
        count = max(threading.active_count(), len(os.listdir("/proc/self/task")))
        if count == 1:
            return ""
        time.sleep(0.005)  # a thread that was joined may still be on its way out
    return f"{count - 1} other threads run"


def _children() -> str:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return ""
    return "the process has children"


def _descriptors(allowed: Collection[int]) -> str:
    for fd in sorted(open_descriptors() - frozenset(allowed)):
        return f"file descriptor {fd} is open: {os.readlink(f'/proc/self/fd/{fd}')}"
    return ""


def _inode(fd: int) -> int:
    try:
        return os.fstat(fd).st_ino
    except OSError:
        return 0


def _shared_memory(allowed: Collection[int]) -> str:
    own = {_inode(fd) for fd in allowed}
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        for line in file:
            _, permissions, _, _, inode, *path = line.split(maxsplit=5)
            if permissions[1] == "w" and permissions[3] == "s" and int(inode) not in own:
                return f"memory is shared: {''.join(path).strip()}"
    return ""


def _event_loop() -> str:
    events = sys.modules.get("asyncio.events")
    running = events is not None and events._get_running_loop() is not None
    return "an event loop runs" if running else ""


def _timers() -> str:
    return "a timer is set" if any(any(signal.getitimer(timer)) for timer in _TIMERS) else ""


def _tracers() -> str:
    if sys.gettrace() is not None or sys.getprofile() is not None:
        return "a tracer or profiler is set"
    if sys.version_info >= (3, 12) and any(map(sys.monitoring.get_tool, range(6))):
        return "a monitoring tool is in use"
    return ""
