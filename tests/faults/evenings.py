"""A small experiment on a night's cluster: carried out once undisturbed, then in trouble."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.experiment import planned, write_night
from tests.faults.nights import Night
from tests.faults.playing import Played, play
from tests.faults.scripts import Fault, Script, script

COMPARE_S = 120.0


@dataclass
class Evening:
    """Runs of one experiment on one cluster, each into a store of its own."""

    night: Night
    functions: int = 12
    long: int = 1
    config: Path = field(init=False)
    experiment_id: str = field(init=False)
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        folder = self.night.folder / "evening"
        folder.mkdir()
        self.config = write_night(folder, self.functions, 1, self.long, endless=0)
        self.experiment_id = planned(self.config, self.night.cache)

    def command(self, name: str) -> list[str]:
        """What carries the experiment out, into the store of that name."""
        where = ["--address", self.night.address, "--store", self.night.store(name)]
        return ["killgrid", "run", str(self.config), *where]

    def play(self, name: str, *faults: Fault) -> Played:
        """Carry it out while those faults happen."""
        return self.act(script(name, *faults))

    def act(self, what: Script) -> Played:
        log = self.night.folder / f"{what.name}.log"
        return play(self.night, what, self.command(what.name), log, self.said.append)

    def accounts(self, *names: str) -> list[dict[str, Any]]:
        """What the stores hold; see comparing.Account. The others are compared with the first."""
        stores = [self.night.store(name) for name in names]
        command = [sys.executable, "-m", "tests.faults.comparing", self.experiment_id, *stores]
        told = self.night.in_hub(command, COMPARE_S)
        assert told.returncode == 0, told.stderr
        accounts: list[dict[str, Any]] = json.loads(told.stdout)
        return accounts

    def events(self, account: dict[str, Any]) -> dict[str, int]:
        """How many events there are of each kind."""
        counts: dict[str, int] = {}
        for event in account["events"]:
            counts[event["kind"]] = counts.get(event["kind"], 0) + event["n"]
        return counts
