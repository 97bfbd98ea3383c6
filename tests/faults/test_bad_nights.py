"""What befalls a cluster, one thing at a time; `python -m tests.faults` plays them together."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.faults.evenings import Evening
from tests.faults.nights import Night, Oddity
from tests.faults.playing import at_work, restore
from tests.faults.processes import tail, wait_until
from tests.faults.scripts import Fault, s3_gone

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
SMALL_DISK_MB = 200
NOTICE_S = 120


@pytest.fixture(scope="module")
def evening(own_network: None) -> Iterator[Evening]:
    with Night(3, odd={2: Oddity(disk_mb=SMALL_DISK_MB)}) as night:
        evening = Evening(night)
        played = evening.play("undisturbed")
        assert played.status == 0, played.log
        yield evening


def assert_equal(evening: Evening, name: str) -> dict[str, int]:
    """The store holds what the undisturbed one does; the counts of its events."""
    undisturbed, other = evening.accounts("undisturbed", name)
    assert undisturbed["faults"] == other["faults"] == []
    return evening.events(other)


def test_the_head_is_lost_and_the_same_command_finishes_on_a_new_one(evening: Evening) -> None:
    night, name = evening.night, "head_lost"
    log = night.folder / f"{name}.log"
    driver = night.drive(evening.command(name), log)
    assert wait_until(lambda: at_work(night), 120)
    time.sleep(12)
    night.kill_node(0)
    driver.wait(30)
    restore(night)
    assert evening.play(name).status == 0, tail(log)
    assert_equal(evening, name)


def test_a_node_that_is_lost_while_nodes_are_checked_stops_nothing(evening: Evening) -> None:
    night, name = evening.night, "lost_in_check"
    log = night.folder / f"{name}.log"
    driver = night.drive(evening.command(name), log)
    assert wait_until(lambda: bool(night.machines[1].busy("examine")), 120, 0.05)
    night.cut_link(1)
    status = driver.wait(600)
    restore(night)
    assert status == 0, tail(log)
    assert_equal(evening, name)


def test_s3_is_gone_for_longer_than_one_request_is_tried(evening: Evening) -> None:
    played = evening.play("s3_gone", *s3_gone(3, for_s=80, share_after=0))
    assert (played.status, played.left_over) == (0, []), played.log
    assert_equal(evening, "s3_gone")


def test_a_node_whose_disk_is_full_draws_no_work_to_it(evening: Evening) -> None:
    full = Fault(2, "the disk of node 2 full", lambda night: night.fill_disk(2))
    played = evening.play("disk_full", full)
    assert (played.status, played.left_over) == (0, []), played.log
    events = assert_equal(evening, "disk_full")
    evening.night.empty_disk(2)
    assert events["node_rests"] == 1
    assert 3 <= events["attempt_infra"] <= 12


def test_a_node_with_a_spot_notice_finishes_its_work_and_gets_no_more(evening: Evening) -> None:
    night = evening.night
    idle_after: list[float] = []

    def notice(night: Night) -> None:
        night.drain(1, NOTICE_S)
        began = time.monotonic()
        assert wait_until(lambda: not night.machines[1].busy(), NOTICE_S)
        idle_after.append(time.monotonic() - began)
        night.machines[1].stop()

    played = evening.play("drained", Fault(3, "node 1 drained", notice))
    restore(night)
    assert (played.status, played.left_over) == (0, []), played.log
    assert idle_after[0] < NOTICE_S
    assert "attempt_lost" not in assert_equal(evening, "drained")


def test_a_node_that_is_told_to_end_hands_its_work_back(evening: Evening) -> None:
    began = time.monotonic()
    told = Fault(3, "node 1 told to end", lambda night: night.machines[1].stop())
    played = evening.play("told_to_end", told)
    restore(evening.night)
    assert (played.status, played.left_over) == (0, []), played.log
    assert time.monotonic() - began < 600
    assert_equal(evening, "told_to_end")
