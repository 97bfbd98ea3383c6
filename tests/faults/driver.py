"""A driver on the head node: started, watched, killed, and started again by the same command."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.faults.machine import Machine
from tests.faults.processes import kill, only_child, start


class Driver:
    """A running command. It ends with its node, and with this process."""

    def __init__(
        self, machine: Machine, command: Sequence[str], environment: Mapping[str, str], log: Path
    ) -> None:
        self.began = time.monotonic()
        self.log = log
        with log.open("ab") as output:
            self._outer = start(machine.enter(command), environment, output)
        self.pid = only_child(self._outer.pid)

    @property
    def status(self) -> int | None:
        """Exit status; None while it runs, -9 after it was killed."""
        return self._outer.poll()

    def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        kill(self.pid)
        self._outer.wait(10)

    def wait(self, within_s: float) -> int:
        """Exit status; TimeoutExpired, and the command ended, when it takes longer."""
        try:
            return self._outer.wait(within_s)
        except BaseException:
            self.kill()
            raise
