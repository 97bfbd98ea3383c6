"""Ctrl-C and SIGTERM: the first stops cleanly, the second at once."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 130


@contextlib.contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """SIGTERM raises KeyboardInterrupt, as Ctrl-C does, for the time of a `with` block."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@contextlib.contextmanager
def asked_to_stop(stop: Callable[[], None]) -> Iterator[None]:
    """In a running event loop: call `stop` at the first signal, end the process at the second.

    Local Ray is then ended by its guard, a cluster's tasks by Ray.
    """
    loop = asyncio.get_running_loop()
    asked = False

    def heard() -> None:
        nonlocal asked
        if asked:
            sys.stderr.write("\x1b[?25h" if sys.stderr.isatty() else "")
            sys.stderr.flush()
            os._exit(INTERRUPTED)
        asked = True
        stop()

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS:
        loop.add_signal_handler(number, heard)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)
