"""What every station shares: its suite, its view, and the children it forks for a row."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal.signal` runs Python of enums
import os
import signal
import socket
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from . import kernel, limits, messages, views
from .journal import Journal
from .private import PrivateView
from .rows import Row, RowRunner
from .session import Key, SuiteArgs
from .waiting import Times

_SIGINT = int(signal.SIGINT)


@dataclass(frozen=True)
class Spec:
    """One suite on one tree, as a station is to run it."""

    tree_id: str
    bytecode_id: str  # '' when the tree has none
    files: dict[str, bytes]
    args: SuiteArgs
    limits: limits.Limits
    targets: tuple[str, ...]  # relative to the tree
    keys: tuple[Key, ...] = ()  # the tests as the baseline collected them

    @property
    def paths(self) -> dict[str, str]:
        """Targets by the absolute name under which they are loaded."""
        return {os.path.join(views.WORK, target): target for target in self.targets}


class Server:
    """Answers requests of the host; one row at a time."""

    def __init__(self, spec: Spec, connection: socket.socket) -> None:
        self.spec = spec
        self.connection = connection
        self.journal = Journal()
        self.ordinal_of: dict[Key, int] = {}
        limits.apply(spec.limits)  # the station too is capped: it may collect the suite itself
        layers = (spec.tree_id, spec.bytecode_id, spec.files)
        view = views.open_station(*layers, spec.limits.tmp_mb)
        self._private = PrivateView(view, spec.limits.tmp_mb)
        self._times = Times({}, {})

    def learn(self, keys: Sequence[Sequence[Any]]) -> None:
        """From now on tests are named by their place in this list."""
        self.ordinal_of = {(nodeid, count): n for n, (nodeid, count) in enumerate(keys)}

    @property
    def fds(self) -> set[int]:
        """Descriptors of ours that are open in the station."""
        return {self.connection.fileno(), self.journal.fd} | self._private.fds

    def serve(self, answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Answer until the host goes away."""
        while True:
            messages.send(self.connection, answer(messages.receive(self.connection)))

    def row(self, request: dict[str, Any], work: Callable[[Sequence[int]], None]) -> Row:
        """Run one row; `work` runs in the child once its view and its caps are in place."""
        files = {p: text.encode("latin-1") for p, text in request["files"].items()}
        if "times" in request:
            cpu, wall = ({int(k): v for k, v in each.items()} for each in request["times"])
            self._times = Times(cpu, wall)
        runner = RowRunner(self.journal, self.spec.limits, self._times, request["confirm"])

        def fork(batch: Sequence[int]) -> int:
            return self._fork(files, lambda: work(batch))

        begun = None
        if request.get("meet"):
            begun = runner.meet(fork)
            self.learn(begun.collected)
            request["tests"] = range(len(begun.collected))
        return runner.run(
            request["tests"], fork, frozenset(request["stop_at"]), request["one_each"], begun
        )

    def _fork(self, files: dict[str, bytes], work: Callable[[], None]) -> int:
        self._private.enter(files)
        pid = os.fork()
        if pid:
            self._private.leave()
            return pid
        # Every Python function that a child calls costs it copies of pages: hence the plain calls.
        try:
            self.journal.own()
            os.close(self.connection.detach())
            self._private.forget()
            kernel.drop_capabilities()
            _signal.signal(_SIGINT, signal.default_int_handler)
            work()
        except BaseException:
            self.journal.record("broken", traceback.format_exc())
        finally:
            os._exit(0)


def reply(row: Row) -> dict[str, Any]:
    """A row as a message."""
    return vars(row)
