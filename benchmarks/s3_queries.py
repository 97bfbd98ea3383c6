"""Times every named report over a store of many executions on S3, and counts the bytes it reads.

    python -m benchmarks.s3_queries --rows 10000000

A real S3 server on loopback: Ceph's gateway where it is installed, moto's otherwise. Each report
runs in a process of its own behind a proxy that counts; the store is compacted first, and what that
takes is printed too. With `--endpoint` and `--place` a server that runs already is used.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.query_store import EXPERIMENT, FUNCTIONS, PROJECTS, generate
from storage.compaction import compact
from storage.objects import open_store
from storage.reports import list_reports
from storage.units import read_index
from tests.storage.faulty_proxy import Traffic, faulty_proxy
from tests.storage.s3_servers import (
    KEY_ID,
    SECRET,
    ceph_server,
    has_ceph,
    make_bucket,
    moto_server,
)

PATIENCE_S = 600


@contextmanager
def any_server(folder: Path) -> Iterator[str]:
    """URL of the best server there is."""
    with ceph_server(folder) if has_ceph() else moto_server() as url:
        print("Ceph's gateway" if has_ceph() else "moto's server", flush=True)
        yield url


def fill(uri: str, rows: int) -> None:
    """Make the store unless it is there, and compact it."""
    store = open_store(uri, patience_s=PATIENCE_S)
    if not store.exists(f"{EXPERIMENT}/manifest.json"):
        start = time.perf_counter()
        generate(store, rows, {FUNCTIONS: 0.8, PROJECTS: 0.2})
        print(f"made in {time.perf_counter() - start:.0f} s", flush=True)
    start = time.perf_counter()
    if found := compact(store, EXPERIMENT):
        seconds = time.perf_counter() - start
        print(
            f"compacted {found.entries} entries, {found.objects_before} objects to "
            f"{found.objects_after} in {seconds:.0f} s",
            flush=True,
        )


def describe(uri: str) -> None:
    """Print how many rows, objects and bytes the executions have."""
    store = open_store(uri)
    index = read_index(store, EXPERIMENT)
    objects = index.objects["executions"]
    keys = [found[found.index(EXPERIMENT) :] for found in objects]
    size = sum(len(store.get(key)) for key in keys)
    print(f"{index.rows['executions']:,} executions, {len(keys)} objects, {size / 1e6:.0f} MB")


def time_reports(uri: str, traffic: Traffic, runs: int) -> None:
    """Print one line for each report: that of its fastest run."""
    for report in list_reports():
        figures = min((_run(uri, report.name, traffic) for _ in range(runs)), key=_seconds)
        print(
            f"{report.name:18} {_seconds(figures):6.2f} s {figures['cpu']:6.2f} s CPU "
            f"{figures['mb']:6.0f} MB memory {figures['read'] / 1e6:8.1f} MB read "
            f"{figures['requests']:6.0f} requests {figures['rows']:9.0f} rows",
            flush=True,
        )


def _run(uri: str, report: str, traffic: Traffic) -> dict[str, float]:
    traffic.reset()
    command = [sys.executable, "-m", "benchmarks.queries", "--store", uri, "--report", report]
    output = subprocess.run(command, capture_output=True, check=True).stdout
    requests = float(sum(traffic.requests.values()))
    return json.loads(output) | {"read": float(traffic.answered), "requests": requests}


def _seconds(figures: dict[str, float]) -> float:
    return figures["connect"] + figures["answer"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=2, help="runs of each report")
    parser.add_argument("--endpoint", help="URL of a server that runs already")
    parser.add_argument("--place", help="bucket/prefix there, with a store or for one")
    options = parser.parse_args()
    os.environ.setdefault("AWS_ACCESS_KEY_ID", KEY_ID)
    os.environ.setdefault("AWS_SECRET_ACCESS_KEY", SECRET)
    with tempfile.TemporaryDirectory() as folder:
        if options.endpoint:
            uri = f"s3://{options.place}?endpoint_url={options.endpoint}"
            _measure(uri, options.endpoint, options.rows, options.runs)
            return
        with any_server(Path(folder)) as url:
            _measure(make_bucket(url), url, options.rows, options.runs)


def _measure(uri: str, url: str, rows: int, runs: int) -> None:
    fill(uri, rows)
    describe(uri)
    traffic = Traffic()
    with faulty_proxy(url, traffic) as counted:
        time_reports(uri.replace(url, counted), traffic, runs)


if __name__ == "__main__":
    main()
