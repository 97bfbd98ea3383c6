"""Ray's autoscaler, with cluster.yaml's settings and pretended nodes, follows the queue."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.status import read_status
from tests.deploy.parts import ROOT

# Processes, mounts and network of its own, all gone with the first process.
ALONE = ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--net"]
SET_UP = "ip link set lo up; mount -t tmpfs -o size=1g shm /dev/shm; mount -t tmpfs tmp /tmp; exec"
CONFIG = """
experiment: growing
store: unused
seed: 1
subjects: [{problems: green_tests}]
mutants: [{engine: variants}]
arms:
  - {name: reference, writer: {problem_suite: reference}}
  - {name: weak, writer: {problem_suite: weak}}
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Not in /tmp, where pytest has its own: that is covered inside."""
    made = ROOT / ".pytest_cache" / f"growing-{os.getpid()}"
    made.mkdir(parents=True)
    yield made
    shutil.rmtree(made)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may have namespaces of its own")
def test_a_cluster_grows_from_its_head_alone_and_shrinks_without_loss(folder: Path) -> None:
    from tasks.job import check_sandbox

    check_sandbox(folder / "cache")  # builds the environment while there is a network
    (folder / "experiment.yaml").write_text(CONFIG)
    words = [folder / "experiment.yaml", folder / "store", folder / "cache", folder]
    program = [sys.executable, "-m", "tests.deploy.autoscaling", *map(str, words)]
    done = subprocess.run(
        [*ALONE, "bash", "-ec", f'{SET_UP} "$@"', "bash", *program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1100,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["before"] == 1
    assert seen["most"] == 3, seen
    assert seen["status"] == 0, seen["said"]
    assert seen["shrunk_s"] is not None
    (stored,) = read_status(str(folder / "store"))
    assert (stored.done, stored.cells, stored.missing) == (24, 24, {})
