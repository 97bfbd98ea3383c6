"""The swap station: collects a suite once, then forks children that change live code."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import socket
from collections.abc import Sequence
from typing import Any

from . import messages, session
from .codediff import Change, Original, Refusal
from .forkable import process_refusal
from .livecode import LiveCode
from .observing import CollectionObserver, run_watched
from .recorder import RanKey
from .serving import Server, Spec, reply
from .session import Collected


def serve_swap(spec: Spec, connection: socket.socket) -> None:
    """Collect as pid 1, say how that went, then answer row by row.

    The first answer is {"unfit": reason or "", "keys": tests, "collect_errors": list, "ran": names
    or None, "reads_source": bool}; with a reason it is the last.
    """
    server = Server(spec, connection)
    witness: list[object] = []  # as young as anything that the suite will make
    observer = CollectionObserver(list(spec.paths))

    def then(collected: Collected) -> None:
        seen = observer.stop()
        swapper = Swapper(server, collected, seen.ran, witness)
        unfit = swapper.unfit()
        messages.receive(connection)
        opening = {
            "unfit": unfit,
            "keys": collected.keys,
            "collect_errors": collected.recorder.collect_errors,
            "ran": seen.names,
            "reads_source": seen.reads_source,
        }
        messages.send(connection, opening)
        if not unfit:
            server.serve(swapper.answer)

    refusal = session.start(spec.args, then)
    messages.receive(connection)
    messages.send(connection, {"unfit": refusal or "pytest's loop over the tests returned"})


class Swapper:
    """Answers for one collected suite: first baselines, and once it is prepared, mutants."""

    def __init__(
        self,
        server: Server,
        collected: Collected,
        ran: frozenset[RanKey] | None,
        witness: list[object],
    ) -> None:
        """`witness` was made before any code of the suite was loaded."""
        self._server = server
        self._collected = collected
        self._ran = ran
        self._witness = witness
        self._live: LiveCode | None = None
        self._originals: dict[str, Original] = {}
        self._known: dict[tuple[str, str], tuple[Change, ...] | Refusal] = {}

    def unfit(self) -> str:
        """Why no mutant at all may be swapped in this process; '' when some may."""
        keys = [list(key) for key in self._collected.keys]
        expected = [list(key) for key in self._server.spec.keys]
        if expected and keys != expected:
            return "a second collection found other tests than the baseline"
        self._server.learn(keys)
        return process_refusal(self._server.fds | self._collected.fds | _to_nowhere())

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """A row, or {"unsound": reason} when this mutant must be activated another way."""
        if "prewarm" in request:
            return self._prepare(request["prewarm"])
        if "judge" in request:
            judged = [self._mutant(**each) for each in request["judge"]]
            reasons = sorted({each.reason for each in judged if isinstance(each, Refusal)})
            return {"functions": [_names(each) for each in judged], "reasons": reasons}
        if not request["files"]:
            return reply(
                self._server.row(request, self._watched if request["watch"] else self._plain)
            )
        found = self._control(request) if request["control"] else self._single(request)
        if isinstance(found, Refusal):
            return {"unsound": found.reason}
        live, changes, server = self._live, found, self._server
        assert live is not None

        def work(batch: Sequence[int]) -> None:
            live.apply(changes)
            live.assert_live(changes)
            stop_at = frozenset(request["stop_at"])
            session.run(self._collected, batch, server.journal, server.ordinal_of, stop_at)
            os._exit(0)

        return reply(server.row(request, work))

    def _plain(self, batch: Sequence[int]) -> None:
        server = self._server
        session.run(self._collected, batch, server.journal, server.ordinal_of)
        os._exit(0)

    def _watched(self, batch: Sequence[int]) -> None:
        server = self._server
        places, targets = server.ordinal_of, list(server.spec.paths)
        run_watched(self._collected, batch, server.journal, places, targets)
        os._exit(0)

    def _prepare(self, names: Sequence[str]) -> dict[str, Any]:
        """Import what tests will import, then find the live functions; nothing moves after that."""
        for name in names:
            with contextlib.suppress(Exception):  # one that fails would have failed in its test
                importlib.import_module(name)
        for path, relative in self._server.spec.paths.items():
            with open(path, "rb") as file:
                self._originals[relative] = Original(file.read(), path)
        if not any(each is self._witness for each in gc.get_objects()):
            gc.unfreeze()  # the suite froze what there was, and live code may be among it
        gc.collect()  # garbage would look like a holder of code
        self._live = LiveCode(list(self._server.spec.paths), self._ran)
        gc.freeze()  # children then touch, and so copy, fewer pages
        return {"unfit": self.unfit()}

    def _single(self, request: dict[str, Any]) -> tuple[Change, ...] | Refusal:
        ((path, source),) = request["files"].items()
        return self._mutant(path, source)

    def _mutant(self, path: str, source: str) -> tuple[Change, ...] | Refusal:
        """What to swap for a mutant; remembered, since it is judged before it is run."""
        known = self._known.get((path, source))
        if known is None:
            known = self._known[path, source] = self._judge(path, source.encode("latin-1"))
        return known

    def _judge(self, path: str, source: bytes) -> tuple[Change, ...] | Refusal:
        assert self._live is not None, "prepared before its first mutant"
        found = self._originals[path].changes(source)
        if isinstance(found, Refusal):
            return found
        reasons = filter(None, map(self._live.refusal, found))
        reason = next(reasons, "" if found else "no function's code differs")
        return Refusal(reason) if reason else found

    def _control(self, request: dict[str, Any]) -> tuple[Change, ...] | Refusal:
        """For a control, every function that can be swapped."""
        assert self._live is not None, "prepared before its first control"
        gathered: list[Change] = []
        for path, text in request["files"].items():
            found = self._originals[path].pairs(text.encode("latin-1"))
            if isinstance(found, Refusal):
                return found
            gathered += self._live.swappable(found)
        return tuple(gathered) or Refusal("no function can be swapped")


def _names(found: tuple[Change, ...] | Refusal) -> list[str] | None:
    """Functions that a swap changes; None when the mutant cannot be swapped."""
    return None if isinstance(found, Refusal) else [change.qualname for change in found]


def _to_nowhere() -> set[int]:
    """Descriptors of /dev/null have no state that children could share; pytest keeps some."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/self/fd/{name}") == os.devnull:
                found.add(int(name))
    return found
