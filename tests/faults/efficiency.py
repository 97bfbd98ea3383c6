"""What a second node of one core brings: the same experiment on one node and on two, in one run."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.faults.experiment import write_night
from tests.faults.nights import Night, Oddity
from tests.faults.playing import play
from tests.faults.scripts import script

REPLICATES = 2
QUERY_S = 120.0
QUERY = "SELECT sum(wall_s) AS wall_s, sum(cpu_s) AS cpu_s FROM cells"


@dataclass(frozen=True)
class Share:
    """A run on `nodes` of one core: its time from first task to end, and what tasks took."""

    nodes: int
    work_s: float
    tasks_s: float

    @property
    def outside(self) -> float:
        """Share of the nodes' time in which no task was at work."""
        return 1 - self.tasks_s / (self.nodes * self.work_s)


def efficiency(functions: int, say: Callable[[str], None]) -> int:
    """Print it. Each node, driver and head included, is held to a core of its own."""
    shares = []
    for nodes in (1, 2):
        odd = {node: Oddity(cores=str(node)) for node in range(nodes)}
        with Night(nodes, s3=False, odd=odd) as night:
            shares.append(_share(night, functions, say))
    one, two = shares
    gained = one.work_s / (2 * two.work_s)
    say(
        f"efficiency from one node to two: {gained:.0%} ({one.work_s:.0f} s, {two.work_s:.0f} s); "
        f"time outside sandboxes: {one.outside:.1%}, {two.outside:.1%}"
    )
    return 0


def _share(night: Night, functions: int, say: Callable[[str], None]) -> Share:
    folder = night.folder / "experiment"
    folder.mkdir()
    config = write_night(folder, functions, REPLICATES, long=0, endless=0)
    store, nodes = night.store("measured"), len(night.machines)
    command = ["killgrid", "run", str(config), "--address", night.address, "--store", store]
    done = play(night, script("undisturbed"), command, night.folder / "log", say)
    if done.status:
        raise RuntimeError(f"exit {done.status}: {done.log}")
    asked = [Path(sys.executable).with_name("killgrid"), "sql", QUERY, "--store", store]
    told = night.in_hub([*map(str, asked), "--format", "json"], QUERY_S)
    tasks_s = json.loads(told.stdout)[0]["wall_s"]
    say(f"{nodes} nodes: {done.work_s:.1f} s, in tasks {tasks_s:.1f} s\n{done.log}")
    return Share(nodes, done.work_s, tasks_s)
