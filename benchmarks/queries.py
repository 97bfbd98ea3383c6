"""Times every named report over a store of many executions, each in a process of its own.

    python -m benchmarks.queries --rows 10000000

Four fifths of the rows belong to suites of one function (8 tests, 20 mutants), one fifth to suites
of a project (250 tests, 200 mutants). Printed are, for each report, the wall time of connecting and
of the whole answer, CPU time, peak memory and rows, all of the fastest of `--runs` runs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.query_store import EXPERIMENT, FUNCTIONS, PROJECTS, generate
from storage.database import connect
from storage.objects import open_store
from storage.reports import list_reports, run_report

BAR_S, BAR_MB = 2.0, 2000


def time_report(store: str, name: str) -> dict[str, float]:
    """Seconds to connect and to answer, peak MB and rows; meant for a process of its own."""
    start = time.perf_counter()
    with connect(store) as database:
        connected = time.perf_counter()
        count = sum(batch.num_rows for batch in run_report(database, name))
    end = time.perf_counter()
    figures = {"connect": connected - start, "answer": end - connected, "rows": count}
    return figures | {"cpu": time.process_time(), "mb": _peak_mb()}


def _peak_mb() -> float:
    """Highest resident size; rusage would count what the parent had before this program began."""
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--store", help="folder to make the store in, or to find it in")
    parser.add_argument("--report", help="only this one, in this process, as JSON")
    parser.add_argument("--runs", type=int, default=3, help="runs of each report")
    options = parser.parse_args()
    if options.report:
        print(json.dumps(time_report(options.store, options.report)))
        return
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or folder
        if not Path(store, EXPERIMENT).exists():
            start = time.perf_counter()
            generate(open_store(store), options.rows, {FUNCTIONS: 0.8, PROJECTS: 0.2})
            print(f"store made in {time.perf_counter() - start:.0f} s")
        for report in list_reports():
            _print(report.name, store, options.runs)


def _print(name: str, store: str, runs: int) -> None:
    command = [sys.executable, "-m", "benchmarks.queries", "--store", store, "--report", name]
    outputs = [subprocess.run(command, capture_output=True, check=True) for _ in range(runs)]
    timed = [json.loads(output.stdout) for output in outputs]
    figures = min(timed, key=lambda run: float(run["connect"]) + float(run["answer"]))
    seconds = figures["connect"] + figures["answer"]
    late = "" if seconds <= BAR_S and figures["mb"] <= BAR_MB else "  over the bar"
    print(
        f"{name:16} {figures['connect']:6.2f} s to connect {figures['answer']:6.2f} s to answer "
        f"{figures['cpu']:6.2f} s CPU {figures['mb']:6.0f} MB {figures['rows']:9.0f} rows{late}",
        flush=True,
    )


if __name__ == "__main__":
    main()
