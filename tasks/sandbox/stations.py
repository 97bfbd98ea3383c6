"""Stations: the processes that fork a child per mutant, and the host's handle on them.

A station is pid 1 of nested user, mount, ipc and pid namespaces, so nothing inside can end it and
its end takes everything with it. A `fresh` station knows nothing of the suite and its children
collect anew; a `swap` station has collected once and its children change live code.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from . import kernel, messages

_USER = 1000  # what a test sees as its own user and group


class StationLostError(Exception):
    """The station ended or fell silent; what it was doing has no result."""


class Station:
    """The host's side: ask it for something, or end it."""

    def __init__(
        self, serve: Callable[[socket.socket], None], foreign: Sequence[socket.socket] = ()
    ) -> None:
        """Fork it; `foreign` are connections of the host that it must not hold."""
        self._connection, theirs = socket.socketpair()
        self._warden = os.fork()
        if self._warden == 0:
            for connection in (self._connection, *foreign):
                connection.close()
            _warden(theirs, serve)
        theirs.close()
        self._pid = 0

    def ask(self, request: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """One request, one reply; StationLostError when there is none in time."""
        self._connection.settimeout(timeout_s)
        try:
            if not self._pid:
                self._pid = messages.receive(self._connection)["pid"]
            messages.send(self._connection, request)
            reply: dict[str, Any] = messages.receive(self._connection)
        except TimeoutError as error:
            self.close()
            raise StationLostError(f"no answer within {timeout_s:.0f} s") from error
        except messages.ClosedError as error:
            self.close()
            raise StationLostError(f"it ended: {error}") from error
        if "error" in reply:
            self.close()
            raise StationLostError(reply["error"])
        return reply

    def close(self) -> None:
        """End the station and all in it; harmless when it is gone."""
        if not self._warden:
            return
        self._connection.close()
        # The warden ends by itself after the station, and so passes on what that cost.
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid or self._warden, signal.SIGKILL)
        os.waitpid(self._warden, 0)
        self._warden = 0


def _warden(connection: socket.socket, serve: Callable[[socket.socket], None]) -> None:
    """Make the namespaces, fork the station as pid 1 in them, and outlive it."""
    try:
        kernel.set_parent_death_signal(signal.SIGKILL)
        nest()
        ready, go = os.pipe()
        pid = os.fork()
        if pid == 0:
            kernel.set_parent_death_signal(signal.SIGKILL)
            os.close(go)
            os.read(ready, 1)
            os.close(ready)
            _station(connection, serve)
        os.close(ready)
        messages.send(connection, {"pid": pid})
        connection.close()
        os.close(go)
        os.waitpid(pid, 0)
    except BaseException:
        with contextlib.suppress(BaseException):
            messages.send(connection, {"pid": 0})
            messages.send(connection, {"error": traceback.format_exc()})
    finally:
        os._exit(0)


def nest() -> None:
    """Enter new user, mount, ipc and pid namespaces; the next child is pid 1 of the last."""
    user, group = os.getuid(), os.getgid()
    flags = kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC
    try:
        kernel.unshare(flags)
    except OSError as error:
        raise OSError(error.errno, f"no namespaces inside the sandbox: {error.strerror}") from None
    for path, text in (
        ("/proc/self/setgroups", "deny"),
        ("/proc/self/uid_map", f"{_USER} {user} 1"),
        ("/proc/self/gid_map", f"{_USER} {group} 1"),
    ):
        with open(path, "w") as file:
            file.write(text)
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)


def _station(connection: socket.socket, serve: Callable[[socket.socket], None]) -> None:
    try:
        assert os.getpid() == 1, "a station must be pid 1 of its own namespace"
        # A session of its own: a signal to "my process group" must not reach the host.
        os.setsid()
        # As pid 1 it is immune to every signal from inside that it does not handle.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        devnull = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(devnull, fd)
        os.close(devnull)
        serve(connection)
    except messages.ClosedError:
        pass
    except BaseException:
        with contextlib.suppress(BaseException):
            messages.send(connection, {"error": traceback.format_exc()})
    finally:
        os._exit(0)
