"""The swap station: collects a suite once, then forks children that change live code."""

from __future__ import annotations

import contextlib
import gc
import os
import socket
from collections.abc import Sequence
from typing import Any

from . import controls, messages, session
from .codediff import Change, Original, Refusal
from .forkable import process_refusal
from .livecode import LiveCode
from .recorder import RanKey, RunRecorder
from .serving import Server, Spec, prewarm, reply
from .session import Collected


def serve_swap(spec: Spec, connection: socket.socket) -> None:
    """Collect as pid 1, say whether swapping is sound at all, then answer row by row.

    The first answer is {"unfit": reason or "", "import_executed": names}.
    """
    server = Server(spec, connection)
    recorder = RunRecorder()
    recorder.start()

    def then(collected: Collected) -> None:
        prewarm(spec.prewarm)
        swapper = Swapper(server, collected, recorder.stop())
        messages.receive(connection)
        unfit = swapper.unfit()
        messages.send(connection, {"unfit": unfit, "import_executed": swapper.import_executed})
        if not unfit:
            server.serve(swapper.answer)

    refusal = session.start(spec.args, then)
    messages.receive(connection)
    messages.send(connection, {"unfit": refusal or "pytest's loop returned", "import_executed": []})


class Swapper:
    """Answers for one collected suite."""

    def __init__(self, server: Server, collected: Collected, ran: frozenset[RanKey] | None) -> None:
        self._server = server
        self._collected = collected
        paths = server.spec.paths
        self._originals: dict[str, Original] = {}
        self.import_executed: list[str] = []
        for absolute, relative in paths.items():
            with open(absolute, "rb") as file:
                source = file.read()
            self._originals[relative] = Original(source, absolute)
            names = controls.ran_functions(source, absolute, ran or ())
            self.import_executed += [f"{relative}::{name}" for name in names]
        self._live = LiveCode(list(paths), ran)
        gc.collect()
        gc.freeze()  # children then touch, and so copy, fewer pages

    def unfit(self) -> str:
        """Why no mutant at all may be swapped in this process; '' when some may."""
        expected = list(self._server.spec.keys)
        if [list(key) for key in self._collected.keys] != [list(key) for key in expected]:
            return "a second collection found other tests than the baseline"
        self._server.learn(expected)
        own = {self._server.connection.fileno(), self._server.journal.fd}
        return process_refusal(own | self._collected.fds | _to_nowhere())

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """A row, or {"unsound": reason} when this mutant must be activated another way."""
        found = self._changes(request)
        if isinstance(found, Refusal):
            return {"unsound": found.reason}
        changes = found

        def work(batch: Sequence[int]) -> None:
            self._live.apply(changes)
            self._live.assert_live(changes)
            stop_at = frozenset(request["stop_at"])
            server = self._server
            session.run(self._collected, batch, server.journal, server.ordinal_of, stop_at)
            os._exit(0)

        return reply(self._server.row(request, work))

    def _changes(self, request: dict[str, Any]) -> tuple[Change, ...] | Refusal:
        """What to swap: a mutant's own functions, or for a control all that can be."""
        gathered: list[Change] = []
        for path, text in request["files"].items():
            original = self._originals[path]
            source = text.encode("latin-1")
            found = original.pairs(source) if request["control"] else original.changes(source)
            if isinstance(found, Refusal):
                return found
            gathered += found
        if request["control"]:
            gathered = list(self._live.swappable(gathered))
        for change in gathered:
            reason = self._live.refusal(change)
            if reason:
                return Refusal(reason)
        if not gathered:
            return Refusal("no function's code differs")
        return tuple(gathered)


def _to_nowhere() -> set[int]:
    """Descriptors of /dev/null have no state that children could share; pytest keeps some."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/self/fd/{name}") == os.devnull:
                found.add(int(name))
    return found
