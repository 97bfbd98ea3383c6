"""Runs one experiment four times on three nodes, each time in another bad night, and compares.

    python -m tests.faults [--functions 150] [--keep FOLDER] [--only NAME]
    python -m tests.faults --efficiency

The last line says whether the matrices are equal; so does the exit status.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tests.faults.efficiency import efficiency
from tests.faults.experiment import planned, write_night
from tests.faults.network import possible
from tests.faults.nights import Night
from tests.faults.playing import Played, play
from tests.faults.scripts import SCRIPTS, Script

NODES = 3
REPLICATES, LONG, ENDLESS = 2, 3, 2
COMPARE_S = 300.0


def main() -> int:
    options = _options()
    if why := possible():
        print(f"skipped: {why}")
        return 1
    if options.efficiency:
        return efficiency(options.functions, say)
    scripts = [each for each in SCRIPTS if not options.only or each.name in options.only]
    with Night(NODES, seed=options.seed) as night:
        folder = night.folder / "experiment"
        folder.mkdir()
        config = write_night(folder, options.functions, REPLICATES, LONG, ENDLESS)
        played = [_run(night, config, script) for script in scripts]
        accounts = _compare(night, planned(config, night.cache), scripts)
    return _verdict(played, accounts)


def _run(night: Night, config: Path, script: Script) -> Played:
    say(f"{script.name}: S3 fails {script.s3_share:.0%} of its requests")
    store = night.store(script.name)
    command = ["killgrid", "run", str(config), "--address", night.address, "--store", store]
    done = play(night, script, command, night.folder / f"{script.name}.log", say)
    say(
        f"{script.name}: exit {done.status}, {done.wall_s:.0f} s, {done.work_s:.0f} s of it work, "
        f"{done.drivers} drivers; S3 so far: {night.s3 and night.s3.traffic()}"
    )
    say(done.log)
    return done


def _compare(night: Night, experiment_id: str, scripts: list[Script]) -> list[dict[str, Any]]:
    stores = [night.store(script.name) for script in scripts]
    command = [sys.executable, "-m", "tests.faults.comparing", experiment_id, *stores]
    told = night.in_hub(command, COMPARE_S)
    if told.returncode:
        raise RuntimeError(f"the stores cannot be compared: {told.stderr}")
    accounts: list[dict[str, Any]] = json.loads(told.stdout)
    return accounts


def _verdict(played: list[Played], accounts: list[dict[str, Any]]) -> int:
    faults = []
    for run, account in zip(played, accounts, strict=True):
        rows = account["rows"]
        say(
            f"{run.script}: {rows['suites']} suites, {rows['executions']:,} executions in "
            f"{account['units']} units, {account['objects']} objects; {account['duplicates']} "
            f"duplicate rows, {account['rewritten']} objects written twice, "
            f"{account['orphans']} orphans"
        )
        for event in account["events"]:
            say(f"  {event['n']} x {event['kind']}: {event['words']}")
        for example in account["examples"]:
            say(f"  differs: {example}")
        found = list(account["faults"])
        found += [f"exit {run.status}"] if run.status else []
        found += [f"came too late: {words}" for words in run.left_over]
        faults += [f"{run.script}: {fault}" for fault in found]
    walls = ", ".join(f"{run.script} {run.wall_s:.0f} s" for run in played)
    rows = accounts[0]["rows"]
    what = f"{rows['suites']} suites and {rows['executions']:,} executions, {len(played)} times"
    if faults:
        say(f"FAILED: {what} ({walls}): {'; '.join(faults)}")
        return 1
    say(
        f"EQUAL: {what} ({walls}): the matrices are equal cell by cell, nothing is there twice, "
        f"{sum(account['orphans'] for account in accounts)} orphans"
    )
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--functions", type=int, default=150, help="of the experiment")
    parser.add_argument("--only", action="append", help="name of a script; may be given again")
    parser.add_argument("--seed", type=int, default=20261130, help="of the workers that are killed")
    parser.add_argument("--efficiency", action="store_true", help="one node against two, instead")
    return parser.parse_args()


def say(words: str) -> None:
    print(words, flush=True)


if __name__ == "__main__":
    sys.exit(main())
