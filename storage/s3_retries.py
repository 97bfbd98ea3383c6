"""How long an S3 request is tried again: exponential waits with full jitter, for a bounded time."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from configs.errors import InfraError, NotFoundError

T = TypeVar("T")

LOG = logging.getLogger(__name__)
# A first failure is everyday; from this attempt on a person should know what is waited for.
SAID_FROM = 4


class Passing(Exception):
    """Trouble that may pass: the server's, the network's, or that of a race.

    `unsure` says that the server may have carried the request out.
    """

    def __init__(self, message: str, unsure: bool = True) -> None:
        super().__init__(message)
        self.unsure = unsure


class Taken(Exception):
    """There is an object under the name already."""


class Gone(NotFoundError):
    """There is no such object, or no such upload."""


@dataclass
class Persistence:
    """Tries again for `patience_s` seconds; for `first_patience_s` until a request ever succeeded.

    So a mistyped address fails soon, and an outage in the night is waited out. Each wait is drawn
    from 0 to `first_s`, then to twice as much, and so on up to `longest_s`. `retries` counts.
    """

    patience_s: float = 60.0
    first_patience_s: float = 5.0
    first_s: float = 0.2
    longest_s: float = 20.0
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    retries: int = 0
    reached: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, what: str, call: Callable[[bool], T]) -> T:
        """What `call` returns at last; InfraError when trouble lasts.

        `call` is told whether an earlier attempt of it may have been carried out.
        """
        began, attempt, unsure = self.clock(), 1, False
        while True:
            try:
                value = call(unsure)
            except Passing as trouble:
                unsure = unsure or trouble.unsure
                self._wait(what, trouble, attempt, self.clock() - began)
                attempt += 1
            else:
                self.reached = True
                return value

    def _wait(self, what: str, trouble: Passing, attempt: int, spent: float) -> None:
        patience = self.patience_s if self.reached else self.first_patience_s
        pause = random.uniform(0, min(self.longest_s, self.first_s * 2.0 ** min(attempt, 30)))
        if spent + pause > max(patience, 0):
            raise InfraError(f"{what}: {trouble}, {attempt} times in {spent:.0f} s") from trouble
        with self._lock:
            self.retries += 1
        level = logging.WARNING if attempt >= SAID_FROM else logging.DEBUG
        LOG.log(level, "%s: %s; attempt %d in %.1f s", what, trouble, attempt + 1, pause)
        self.sleep(pause)
