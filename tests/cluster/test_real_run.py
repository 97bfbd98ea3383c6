"""The driver with the real engine, through the command line."""

from __future__ import annotations

import os
import signal
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

CONFIG: dict[str, Any] = {
    "experiment": "pilot",
    "seed": 1,
    "subjects": [{"problems": "green_tests", "only": ["chunk", "slugify", "truncate", "paginate"]}],
    "mutants": [{"engine": "variants"}, {"engine": "mutmut"}],
    "arms": [
        {"name": "reference", "writer": {"problem_suite": "reference"}},
        {"name": "weak", "writer": {"problem_suite": "weak"}},
    ],
    "execution": {"recheck_share": 0.05},
}


def command(folder: Path, store: Path) -> list[str]:
    config = folder / "pilot.yaml"
    config.write_text(yaml.safe_dump(CONFIG))
    killgrid = Path(sys.executable).with_name("killgrid")
    return [str(killgrid), "run", str(config), "--store", str(store), "--quiet"]


def index_of(store: Path) -> Index:
    place = open_store(str(store))
    names = list_experiments(place)
    return read_index(place, names[0]) if names else Index()


def matrix_of(store: Path) -> Counter[tuple[Any, ...]]:
    keys = ["cell_id", "mutant_id", "test_id", "outcome", "executed", "exception"]
    tables = [pq.read_table(file, columns=keys) for file in index_of(store).objects["executions"]]
    return Counter(tuple(row[key] for key in keys) for t in tables for row in t.to_pylist())


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_run_that_was_killed_and_taken_up_gives_the_matrix_of_an_undisturbed_one(
    tmp_path: Path,
) -> None:
    environment = os.environ | {"KILLGRID_CACHE": str(tmp_path / "cache")}
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    calm = subprocess.run(
        command(tmp_path, whole), env=environment, text=True, capture_output=True, check=False
    )
    assert calm.returncode == 0, calm.stderr
    assert len(matrix_of(whole)) == sum(matrix_of(whole).values()) > 1000
    for wanted in (1, 4):
        driver = subprocess.Popen(
            command(tmp_path, broken),
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while driver.poll() is None and cells_of(broken) < wanted:
            time.sleep(0.1)
        driver.send_signal(signal.SIGKILL)
        driver.wait()
    assert cells_of(broken) >= 1
    again = subprocess.run(
        command(tmp_path, broken), env=environment, text=True, capture_output=True, check=False
    )
    assert again.returncode == 0, again.stderr
    assert " before" in again.stdout
    assert index_of(broken).done == index_of(whole).done
    assert index_of(broken).repeated == frozenset()
    assert matrix_of(broken) == matrix_of(whole)


def cells_of(store: Path) -> int:
    return sum(key.startswith("cell:") and key.count(":") == 1 for key in index_of(store).done)
