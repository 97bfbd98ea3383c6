"""2,000 model calls at concurrency 64 with 10 % faults as one whole run of the driver.

    python -m benchmarks.model_runs [--calls 2000] [--faults 0.1] [--delay 0.5]

Each call's suite is really validated and run. Prints the rate of calls, the memory of the driver,
and whether the server's own count of requests is the store's. Exit status 1 when it is not, or when
a call was paid for twice.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from storage.database import connect
from tests.fake_provider import WIRES, Running, running
from tests.fake_provider.green_tests import green_tests_script
from tests.fake_provider.script import Rule

PRICES = {"input_mtok": 1.0, "output_mtok": 5.0}
CONCURRENCY = 64
FAULTS = ("rate_limited", "error_500", "error_529", "reset", "bad_json")
COUNTS = """
SELECT
    count(*) AS attempts,
    count(DISTINCT call_id) AS calls,
    count(*) FILTER (verdict = 'stop') AS stop,
    count(DISTINCT CASE WHEN verdict = 'stop' THEN response_id END) AS replies,
    count(*) FILTER (verdict = 'error') AS error,
    date_diff('millisecond', min(started_at), max(ended_at)) / 1000 AS seconds
FROM calls
"""


def main() -> int:
    """0 when nothing was lost, made up or paid for twice."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--faults", type=float, default=0.1, help="share of requests")
    parser.add_argument("--delay", type=float, default=0.5, help="seconds before an answer")
    args = parser.parse_args()
    share = args.faults / len(FAULTS)
    rules = tuple(Rule.model_validate({"do": each, "share": share}) for each in FAULTS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = green_tests_script(delay_s=args.delay, rules=rules)
        with running(script, folder) as server:
            return _measure(server, folder, args.calls)


def _measure(server: Running, folder: Path, calls: int) -> int:
    config = folder / "calls.yaml"
    config.write_text(yaml.safe_dump(_config(server, folder, calls)))
    began = time.monotonic()
    killgrid = Path(sys.executable).with_name("killgrid")
    driver = subprocess.Popen([killgrid, "run", config])
    _, status, used = os.wait4(driver.pid, 0)
    took = time.monotonic() - began
    requests = server.lines()
    with connect(str(folder / "store")) as database:
        (found,) = database.query(COUNTS).rows()
        cells = database.query("SELECT count(*) AS n FROM cells WHERE status = 'done'").rows()
    served = {line["response_id"] for line in requests if line["did"] == "normal"}
    print(f"{calls} calls, exit status {os.waitstatus_to_exitcode(status)}, {took:.0f} s in all")
    print(f"calls from the first to the last: {found['seconds']:.0f} s, {_rate(found)}")
    print(
        f"the driver's memory at its peak {used.ru_maxrss / 1024:.0f} MiB, CPU {_cpu(used):.0f} s"
    )
    print(
        f"requests at the server {len(requests)}, attempts in the store {found['attempts']} "
        f"(stop {found['stop']}, error {found['error']}), cells done {cells[0]['n']}"
    )
    twice = len(served) - found["replies"]
    print(f"replies served {len(served)}, replies in the store {found['replies']}")
    return int(len(requests) != found["attempts"] or twice != 0)


def _rate(found: dict[str, Any]) -> str:
    return f"{found['calls'] / found['seconds']:.0f} calls a second"


def _cpu(used: Any) -> float:
    return float(used.ru_utime + used.ru_stime)


def _config(server: Running, folder: Path, calls: int) -> dict[str, Any]:
    share = CONCURRENCY // len(WIRES)
    return {
        "experiment": "calls",
        "store": str(folder / "store"),
        "replicates": calls // len(WIRES),
        "subjects": [{"problems": "green_tests", "only": ["count_leap_years"]}],
        "mutants": [{"engine": "variants"}],
        "models": [f"fake-{wire}/hasty" for wire in WIRES],
        "providers": {
            f"fake-{wire}": {
                "wire": wire,
                "base_url": server.url(wire),
                "concurrency": share,
                "prices": {"hasty": PRICES},
            }
            for wire in WIRES
        },
        "arms": [{"name": "m", "writer": {"model": "each", "prompt": "spec_only"}}],
    }


if __name__ == "__main__":
    sys.exit(main())
