"""Waiting for a child: its limits kept from outside, everything it started ended with it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from dataclasses import dataclass

from . import kernel
from .journal import Journal
from .limits import Limits


@dataclass(frozen=True)
class Times:
    """Baseline times by ordinal; a test without one gets the floors."""

    cpu: dict[int, float]
    wall: dict[int, float]

    @property
    def slack(self) -> float:
        """The first test of a fork may pay for what others would have loaded before it."""
        return max(self.cpu.values(), default=0.0)


@dataclass
class Watcher:
    """Waits for one child and ends it when a limit is passed."""

    journal: Journal
    limits: Limits
    times: Times
    factor: float = 1.0
    floor_share: float = 1.0
    first: int = -1

    def allowance(self, ordinal: int) -> tuple[float, float]:
        """(CPU s, wall s) that what runs now may take; without a baseline, as for collection."""
        base = self.times.cpu.get(ordinal)
        if ordinal < 0 or base is None:
            return self.limits.collect_s * self.factor, 2 * self.limits.collect_s * self.factor
        floor = self.limits.cpu_floor_s * self.floor_share
        cpu = max(floor, self.limits.cpu_multiplier * base)
        cpu += self.times.slack if ordinal == self.first else 0.0
        wall = max(self.limits.wall_s(self.times.wall.get(ordinal, 0.0)), 2 * cpu)
        return cpu * self.factor, wall * self.factor

    def wait(self, pid: int) -> str:
        """'' when the child ended by itself, else which limit it passed."""
        poll = select.poll()
        handle = os.pidfd_open(pid)
        try:
            poll.register(handle, select.POLLIN)
            pause = 0.05
            while not poll.poll(max(1, int(pause * 1000))):
                reason, pause = self._check(pid)
                if reason:
                    return reason
            return ""
        finally:
            os.close(handle)

    def _check(self, pid: int) -> tuple[str, float]:
        ordinal, started, cpu_before = self.journal.current
        cpu_limit, wall_limit = self.allowance(ordinal)
        wall = time.monotonic() - started
        try:
            cpu = time.clock_gettime(kernel.process_cpu_clock(pid)) - cpu_before
        except OSError:
            return "", 0.001  # it ended between two looks
        if cpu > cpu_limit:
            return f"CPU time over {cpu_limit:.2f} s", 0
        if wall > wall_limit:
            return f"wall time over {wall_limit:.2f} s", 0
        return "", min(max(min(cpu_limit - cpu, wall_limit - wall), 0.002), 0.5)


def sweep(pid: int) -> int:
    """End every process of this pid namespace but us, and return the child's wait status."""
    assert os.getpid() == 1, "outside a pid namespace this would end the machine"
    status = 0
    for _ in range(1000):
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        try:
            while True:
                done, result = os.waitpid(-1, 0)
                if done == pid:
                    status = result
        except ChildProcessError:
            return status
    raise RuntimeError("processes of the suite cannot be ended")


def status_signal(status: int) -> int:
    """The signal that ended a process, 0 when none did."""
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def death(reason: str, status: int) -> tuple[str, str, str]:
    """(outcome, exception, message) of a test whose process ended under it."""
    if reason:
        return "timeout", "Timeout", reason
    number = status_signal(status)
    if number:
        return "crashed", signal.Signals(number).name, "the process was killed by a signal"
    return "crashed", "Exit", f"the process left with status {os.waitstatus_to_exitcode(status)}"
