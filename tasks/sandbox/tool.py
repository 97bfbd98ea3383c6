"""One run of a command-line tool over a subject's tree: what it wrote and how it ended.

The tool imports the subject, so it is as little trusted as a suite: it gets the namespaces of a
station, whose pid 1 keeps the limits, ends everything, and only then reads the files.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import socket
import stat
import time
import traceback
from typing import Any, NoReturn

from . import kernel, limits, messages, stations, views
from .waiting import sweep

_GRACE_S = 60.0  # for namespaces, mounts and reading; the tool's own limit is wall_s
_OUT, _ERR = "/layers/stdout", "/layers/stderr"


def main(control_fd: int) -> None:
    """Serve the worker's one request."""
    control = socket.socket(fileno=control_fd)
    control.set_inheritable(False)
    try:
        messages.send(control, {"versions": {}})
        request = messages.receive(control)
        station = stations.Station(_serve, (control,))
        try:
            reply = station.ask(request, request["wall_s"] + _GRACE_S)
        finally:
            station.close()
        messages.send(control, {**reply, "done": True})
    except messages.ClosedError:
        return
    except BaseException:
        messages.send(control, {"failed": traceback.format_exc()})


def _serve(connection: socket.socket) -> None:
    """In the station: run the tool, then answer with what is left of it."""
    request = messages.receive(connection)
    caps = limits.Limits(**request["limits"])
    views.open_station(request["tree_id"], "", {}, caps.tmp_mb)
    flags = kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("tmpfs", "/dev/shm", "tmpfs", flags, f"size={caps.tmp_mb}m,mode=1777")
    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        _become(request, caps)
    ended = _wait(pid, request["wall_s"])
    seconds = time.monotonic() - started
    status = os.waitstatus_to_exitcode(sweep(pid))
    written = {path: _read(os.path.join(views.WORK, path)) for path in request["outputs"]}
    messages.send(
        connection,
        {
            "timed_out": not ended,
            "status": status,
            "seconds": seconds,
            "stdout": _read(_OUT),
            "stderr": _read(_ERR),
            "files": {path: text for path, text in written.items() if text is not None},
        },
    )


def _become(request: dict[str, Any], caps: limits.Limits) -> NoReturn:
    try:
        for fd, path in ((1, _OUT), (2, _ERR)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), fd)
        limits.apply(caps)
        seconds = int(request["wall_s"]) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        kernel.drop_capabilities()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.execve(request["argv"][0], request["argv"], os.environ)
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    os._exit(127)


def _wait(pid: int, wall_s: float) -> bool:
    """Whether it ends by itself within that time."""
    poll = select.poll()
    handle = os.pidfd_open(pid)
    poll.register(handle, select.POLLIN)
    ended = bool(poll.poll(wall_s * 1000))
    os.close(handle)
    return ended


def _read(path: str) -> str | None:
    """A regular file, none of which is larger than the caps allow; None for whatever else is there.

    Nothing that could still change it is running.
    """
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        with open(path, "rb") as file:
            return file.read().decode("latin-1")
    except OSError:
        return None
