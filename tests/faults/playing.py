"""Plays a script of faults against a run of an experiment, and keeps the times."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.nights import Night
from tests.faults.processes import tail
from tests.faults.scripts import Script

LOOK_EVERY_S = 0.2
RUN_S = 1800.0

Say = Callable[[str], None]


@dataclass
class Played:
    """How a run went. Times in seconds: `wall_s` from the first start to the last end of a driver,
    `work_s` of it since the first task began. `left_over` are faults that came too late."""

    script: str
    status: int
    wall_s: float
    work_s: float
    drivers: int
    done: list[str] = field(default_factory=list)
    left_over: list[str] = field(default_factory=list)
    log: str = ""


def play(night: Night, script: Script, command: list[str], log: Path, say: Say) -> Played:
    """Run the command on the head to its end, and let everything of the script happen meanwhile.

    TimeoutError when it takes longer than RUN_S.
    """
    if night.s3:
        night.s3.fails(script.s3_share)
    driver, drivers = night.drive(command, log), 1
    began, first = driver.began, None
    waiting, done, late_s = list(script.faults), [], 0.0
    while driver.status is None:
        time.sleep(LOOK_EVERY_S)
        now = time.monotonic()
        if now - began > RUN_S:
            driver.kill()
            raise TimeoutError(f"{script.name}: not done in {RUN_S:.0f} s\n{tail(log)}")
        if first is None:
            first = now if at_work(night) else None
        while first is not None and waiting and now - first >= waiting[0].at_s + late_s:
            fault = waiting[0]
            if fault.act is None:
                driver.kill()
                driver, drivers = night.drive(command, log), drivers + 1
            elif fault.act(night) is False:
                break
            waiting.pop(0)
            # What follows keeps its distance: nothing is switched on in the moment it is off.
            late_s = now - first - fault.at_s
            done.append(f"{now - first:.0f} s: {fault.words}")
            say(f"  {done[-1]}")
    ended = time.monotonic()
    if night.s3:
        night.s3.fails(0)
    restore(night)
    return Played(
        script=script.name,
        status=driver.status,
        wall_s=ended - began,
        work_s=ended - (first or ended),
        drivers=drivers,
        done=done,
        left_over=[fault.words for fault in waiting],
        log=tail(log, 4),
    )


def at_work(night: Night) -> bool:
    """Whether any worker holds one of our tasks."""
    return any(machine.busy() for machine in night.machines)


def restore(night: Night) -> None:
    """Bring the cluster back to what it was: every node on, linked, and joined."""
    for node, machine in enumerate(night.machines):
        night.restore_link(node)
        if not machine.on:
            night.restart_node(node)
    night.wait_for(len(night.machines))
