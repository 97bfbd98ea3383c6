"""A driver that is killed amid model calls, through the command line, with the real engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from storage.manifest import list_experiments
from storage.objects import open_store
from storage.units import Index, read_index
from tests.fake_provider import Running, running
from tests.fake_provider.green_tests import green_tests_script

MODELS = ["careful", "hasty", "locked", "stubborn"]
CALLS = 200


def config(base_url: str) -> dict[str, Any]:
    prices = {"input_mtok": 1.0, "output_mtok": 5.0}
    return {
        "experiment": "paid",
        "replicates": CALLS // len(MODELS),
        "subjects": [{"problems": "green_tests", "only": ["count_leap_years"]}],
        "mutants": [{"engine": "variants"}],
        "models": [{"model": f"fake/{name}", "prices": prices} for name in MODELS],
        "providers": {"fake": {"wire": "chat", "base_url": f"{base_url}/v1"}},
        "arms": [{"name": "a", "writer": {"model": "each", "prompt": "code_shown"}}],
    }


def command(folder: Path, server: Running) -> list[str]:
    path = folder / "paid.yaml"
    path.write_text(yaml.safe_dump(config(server.base_url)))
    killgrid = str(Path(sys.executable).with_name("killgrid"))
    return [killgrid, "run", str(path), "--store", str(folder / "store"), "--quiet"]


def index_of(store: Path) -> Index:
    place = open_store(str(store))
    names = list_experiments(place)
    return read_index(place, names[0]) if names else Index()


def rows(index: Index, table: str) -> list[dict[str, Any]]:
    return [row for file in index.objects.get(table, []) for row in pq.read_table(file).to_pylist()]


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_no_call_is_paid_for_twice_when_the_driver_is_killed_amid_200(tmp_path: Path) -> None:
    environment = os.environ | {"KILLGRID_CACHE": str(tmp_path / "cache")}
    script = green_tests_script(delay_s=0.4)
    with running(script, tmp_path) as server:
        driver = subprocess.Popen(command(tmp_path, server), env=environment)
        while driver.poll() is None and len(server.lines()) < CALLS // 2:
            time.sleep(0.05)
        driver.kill()
        driver.wait()
        asked = len(server.lines())
        again = subprocess.run(
            command(tmp_path, server), env=environment, text=True, capture_output=True, check=False
        )
        requests = server.lines()
    index = index_of(tmp_path / "store")
    calls = rows(index, "calls")
    verdicts = Counter(call["verdict"] for call in calls)
    print(f"killed after {asked} requests; in all {len(requests)}; receipts {dict(verdicts)}")
    assert 0 < verdicts["unreceipted"] <= 8
    assert verdicts["stop"] + verdicts["unreceipted"] == CALLS
    # Whatever was asked has its row, and what was asked before the kill was not asked again.
    assert len(requests) <= len(calls) == CALLS
    answered = {request["response_id"] for request in requests}
    assert {call["response_id"] for call in calls if call["verdict"] == "stop"} <= answered
    lost = [call["cell_id"] for call in calls if call["verdict"] == "unreceipted"]
    assert again.returncode == 1
    assert f"{len(lost)} of {CALLS} cells are missing" in again.stderr
    states = {row["cell_id"]: row["status"] for row in rows(index, "cells")}
    assert {cell for cell, status in states.items() if status == "missing"} == set(lost)
    assert len({json.dumps(call, default=str) for call in calls}) == len(calls)
