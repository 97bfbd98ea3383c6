"""The meter counts what every process of a command used, however it ended."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.meter import Meter, make_meter

BURN = "import time\nwhile time.process_time() < 0.4: pass\n"


@pytest.fixture
def meter() -> Meter:
    made = make_meter()
    if made.group is None:
        pytest.skip("no control group can be made here")
    return made


def test_counts_a_process_that_nobody_waited_for(meter: Meter, tmp_path: Path) -> None:
    done = tmp_path / "done"
    child = f"{BURN}open({str(done)!r}, 'w').close()\ntime.sleep(60)"
    parent = (
        "import os, subprocess, sys, time\n"
        f"subprocess.Popen([sys.executable, '-c', {child!r}], start_new_session=True)\n"
        f"while not os.path.exists({str(done)!r}): time.sleep(0.01)\n"
    )
    measured = meter.run([sys.executable, "-c", parent], timeout_s=30)
    assert measured.returncode == 0
    assert 0.4 < measured.cpu_s < 5
    assert measured.wall_s < 30


def test_counts_no_other_process_of_the_machine(meter: Meter) -> None:
    measured = meter.run([sys.executable, "-S", "-c", "import time; time.sleep(0.5)"], timeout_s=30)
    assert measured.cpu_s < 0.3
    assert measured.wall_s > 0.5


def test_says_what_a_command_printed_before_it_ran_out_of_time(meter: Meter) -> None:
    with pytest.raises(TimeoutError, match="hello"):
        meter.run(
            [sys.executable, "-c", "import time; print('hello', flush=True); time.sleep(60)"],
            timeout_s=1,
        )


def test_leaves_no_process_and_no_group(meter: Meter) -> None:
    assert meter.group is not None
    before = set(meter.group.iterdir())
    child = "import subprocess; subprocess.Popen(['sleep', '60'], start_new_session=True)"
    meter.run([sys.executable, "-c", child], timeout_s=30)
    assert set(meter.group.iterdir()) == before
