"""The fresh station: every child imports and collects the suite anew."""

from __future__ import annotations

import json
import os
import socket
import sys
import traceback
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from . import session, views
from .journal import Journal
from .observing import CollectionObserver, run_watched
from .serving import Server, Spec, reply
from .session import Collected, Key, SuiteArgs


def serve_fresh(spec: Spec, connection: socket.socket) -> None:
    """A station whose children import and collect anew, in a fork or in a new interpreter."""
    server = Server(spec, connection)

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        if "keys" in request:
            server.learn(request["keys"])
            return {}
        new_process = request["strategy"] == "process"

        def work(batch: Sequence[int]) -> None:
            order = {"meet": bool(request.get("meet")), "watch": request["watch"]}
            order |= {"tests": list(batch), "stop_at": request["stop_at"]}
            (_exec if new_process else collect_and_run)(server, order)

        return reply(server.row(request, work))

    server.serve(answer)


def _exec(server: Server, order: dict[str, Any]) -> None:
    """Replace the child by a new interpreter that does the same from nothing."""
    args = asdict(server.spec.args)
    keys = sorted(server.ordinal_of, key=lambda key: server.ordinal_of[key])
    text = json.dumps({"args": args, "order": order, "keys": keys, "targets": server.spec.targets})
    order_fd = os.memfd_create("order")
    os.write(order_fd, text.encode())
    for fd in (order_fd, server.journal.fd):
        os.set_inheritable(fd, True)
    boot = os.path.join(os.path.dirname(__file__), "boot.py")
    command = [sys.executable, boot, "process", str(order_fd), str(server.journal.fd)]
    os.execve(sys.executable, command, os.environ)


def process(order_fd: int, journal_fd: int) -> None:
    """The new interpreter's side of `_exec`."""
    with os.fdopen(order_fd, "rb") as file:
        file.seek(0)
        told = json.loads(file.read())
    journal = Journal(journal_fd)
    os.close(journal_fd)
    journal.own()
    args = SuiteArgs(**{k: tuple(v) for k, v in told["args"].items()})
    ordinal_of = {(nodeid, count): n for n, (nodeid, count) in enumerate(told["keys"])}
    targets = [os.path.join(views.WORK, target) for target in told["targets"]]
    try:
        _collect_and_run(journal, args, ordinal_of, targets, told["order"])
    except BaseException:
        journal.record("broken", traceback.format_exc())
    finally:
        os._exit(0)


def collect_and_run(server: Server, order: dict[str, Any]) -> None:
    """In the child: a whole pytest session, of which the wanted tests are run."""
    _collect_and_run(
        server.journal, server.spec.args, server.ordinal_of, list(server.spec.paths), order
    )


def _collect_and_run(
    journal: Journal,
    args: SuiteArgs,
    ordinal_of: dict[Key, int],
    targets: list[str],
    order: dict[str, Any],
) -> None:
    def then(collected: Collected) -> None:
        wanted, places = order["tests"], ordinal_of
        if order["meet"]:
            journal.record("collected", collected.keys)
            wanted = range(len(collected.keys))
            places = {key: n for n, key in enumerate(collected.keys)}
        if observer is None:
            session.run(collected, wanted, journal, places, frozenset(order["stop_at"]))
        else:
            seen = observer.stop()
            journal.record("ran", seen.names, seen.reads_source)
            run_watched(collected, wanted, journal, places, targets)
        os._exit(0)

    observer = CollectionObserver(targets) if order["watch"] else None
    refusal = session.start(args, then)
    journal.record("refusal", refusal or "pytest's loop over the tests returned")
