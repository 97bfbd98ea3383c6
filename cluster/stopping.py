"""Ctrl-C and SIGTERM: the first stops cleanly, the second at once."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 130
SHOW_CURSOR = b"\x1b[?25h\n"


class Stopping:
    """What the signals of a run do.

    The first calls what was given to `calling`, or raises KeyboardInterrupt where nothing was. The
    second ends the process on the spot: a local Ray is then ended by its guard, and a cluster ends
    the tasks of a driver that is gone.
    """

    def __init__(self) -> None:
        self.asked = False
        self._call: Callable[[], None] | None = None

    def install(self) -> None:
        """Take the signals; again whenever a library has taken them away, as Ray does."""
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                signal.signal(number, self._heard)

    @contextlib.contextmanager
    def calling(self, call: Callable[[], None]) -> Iterator[None]:
        """Let the first signal call this, for the time of a `with` block."""
        self._call = call
        if self.asked:
            call()
        try:
            yield
        finally:
            self._call = None

    def _heard(self, _number: int, _frame: FrameType | None) -> None:
        if self.asked:
            if os.isatty(2):
                os.write(2, SHOW_CURSOR)
            os._exit(INTERRUPTED)
        self.asked = True
        if self._call is None:
            raise KeyboardInterrupt
        self._call()


@contextlib.contextmanager
def stopping() -> Iterator[Stopping]:
    """Signals handled so for the time of a `with` block."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    state = Stopping()
    state.install()
    try:
        yield state
    finally:
        if threading.current_thread() is threading.main_thread():
            for number, handler in before.items():
                signal.signal(number, handler)
