"""Measures killgrid's bars in one run, on the machine at hand.

    python -m benchmarks.bench [--quick] [--only NAME]

Whole processes, user and system CPU time of all that they start, both sides of a ratio taking
turns. Exit status 1 when a bar is missed. Named reports have their own: benchmarks.queries.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable

from benchmarks import against_mutmut, against_processes, on_ray
from benchmarks.bars import Finding, table
from benchmarks.meter import Meter, make_meter
from configs.errors import KillgridError

LOUD = 0.5

Measure = Callable[[Meter, bool], list[Finding]]


def _mutmut(meter: Meter, quick: bool) -> list[Finding]:
    return against_mutmut.measure(meter, rounds=1 if quick else 3, limit=20 if quick else None)


def _processes(meter: Meter, quick: bool) -> list[Finding]:
    return against_processes.measure(meter, 3 if quick else 20, 20 if quick else None)


def _functions(meter: Meter, quick: bool) -> list[Finding]:
    return on_ray.measure_functions(meter, 4 if quick else 24, 6 if quick else 10)


def _driver(meter: Meter, quick: bool) -> list[Finding]:
    return on_ray.measure_driver(meter, 10 if quick else 120)


MEASURES: dict[str, Measure] = {
    "mutmut": _mutmut,
    "processes": _processes,
    "functions": _functions,
    "driver": _driver,
}


def main() -> int:
    """0 when every bar that was measured is reached."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", choices=list(MEASURES), default=[])
    parser.add_argument("--quick", action="store_true", help="few mutants, once: shows it works")
    args = parser.parse_args()
    meter = make_meter()
    print(_machine(meter))
    found: list[Finding] = []
    for name in args.only or MEASURES:
        began = time.monotonic()
        found += MEASURES[name](meter, args.quick)
        print(f"{name}: measured in {time.monotonic() - began:.0f} s; load {_load()}", flush=True)
    if args.quick:
        print(
            "--quick: start-up is a large part of everything, so ratios are smaller than they are"
        )
    print(f"\n{table(found)}")
    return 0 if all(each.passed for each in found) else 1


def _machine(meter: Meter) -> str:
    cores = len(os.sched_getaffinity(0))
    lines = [
        f"{cores} cores, {platform.machine()}, Linux {platform.release()}, "
        f"Python {platform.python_version()}; load average {_load()}; CPU time by {meter.how}"
    ]
    if os.getloadavg()[0] > LOUD:
        lines.append("warning: others use this machine now; every figure is worse for it")
    if meter.group is None:
        lines.append("warning: whatever else runs on this machine counts in these figures")
    return "\n".join(lines)


def _load() -> str:
    return " ".join(f"{value:.1f}" for value in os.getloadavg())


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KillgridError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
