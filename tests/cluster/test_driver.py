from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.driver import MANY_UNITS, run_plan
from cluster.locking import only_driver
from cluster.options import RunOptions
from cluster.ray_session import RaySession
from configs.errors import ConfigError, SelfCheckError
from storage.objects import LocalStore
from storage.rows import event_rows
from storage.units import commit_unit, read_index
from tasks.results import Event
from tests.cluster import work
from tests.cluster.experiment import MUTANTS
from tests.cluster.plans import Stored, expected, plan_of

PROGRAM = Path(__file__).with_name("experiment.py")


class Driver:
    """A real driver in a process and session of its own, with the store it writes to."""

    def __init__(self, folder: Path, temporary: Path, told: list[dict[str, Any]]) -> None:
        self.store = folder / "store"
        self.log = folder / "log"
        self.temporary = temporary
        # Where the user stands there is a package named as one of ours.
        self.project = folder / "project"
        (self.project / "tasks").mkdir(parents=True)
        (self.project / "tasks" / "__init__.py").write_text("raise SystemExit('the wrong one')")
        self.told = [each | {"log": str(self.log)} for each in told]
        self.plan = plan_of(*self.told, mutants=MUTANTS)

    def start(self, *address: str) -> subprocess.Popen[str]:
        command = [sys.executable, str(PROGRAM), str(self.store), json.dumps(self.told)]
        self.process = subprocess.Popen(
            [*command, *address],
            cwd=self.project,
            env=dict(os.environ) | {"TMPDIR": str(self.temporary)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        return self.process

    def finish(self, *address: str) -> str:
        driver = self.start(*address)
        output, errors = driver.communicate(timeout=120)
        assert driver.returncode == 0, errors
        return output

    @property
    def stored(self) -> Stored:
        return Stored(self.store, self.plan)

    @property
    def marks(self) -> dict[str, int]:
        """How often each row was measured, over all runs."""
        return {mark.name: mark.stat().st_size for mark in self.log.iterdir()}

    def wait_for(self, what: Callable[[], bool]) -> None:
        until = time.monotonic() + 90
        while not what():
            if self.process.returncode is None and self.process.poll() is not None:
                pytest.fail(f"the driver ended: {self.process.communicate()}")
            assert time.monotonic() < until
            time.sleep(0.02)

    def left_over(self) -> list[str]:
        """Processes and folders of this driver's Ray."""
        found = [str(path) for path in self.temporary.glob("kg-ray-*")]
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if f"TMPDIR={self.temporary}".encode() in (entry / "environ").read_bytes():
                    found.append((entry / "comm").read_text().strip())
            except OSError:
                continue
        return found


SLOW = {"row_s": 0.03}
MakeDriver = Callable[..., Driver]


@pytest.fixture
def driver_of(tmp_path: Path) -> Iterator[MakeDriver]:
    # Short enough for Ray's sockets, which would else be put elsewhere.
    with tempfile.TemporaryDirectory(prefix="kg", dir="/tmp") as temporary:
        yield lambda *told: Driver(tmp_path, Path(temporary), list(told))


def test_a_killed_driver_loses_nothing_stored_and_the_next_run_repeats_none_of_it(
    driver_of: MakeDriver,
) -> None:
    driver = driver_of(*[SLOW] * 8)
    first = driver.start()
    driver.wait_for(lambda: len([k for k in driver.stored.index.done if ":shard:" in k]) >= 2)
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    kept = driver.stored
    assert 0 < kept.index.rows["executions"] < len(driver.plan.cells) * MUTANTS * 3
    driver.wait_for(lambda: not driver.left_over())
    assert "done 8 of 8" in driver.finish()
    assert driver.stored.matrix() == expected(driver.plan)
    assert kept.index.done < driver.stored.index.done
    assert driver.stored.index.repeated == frozenset()
    before = {(row["suite_id"], row["mutant_id"]) for row in kept.rows("executions")}
    assert {driver.marks[f"{suite}-{mutant}"] for suite, mutant in before} == {1}


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_a_driver_that_is_asked_to_stop_stores_what_is_finished_and_leaves_nothing_running(
    number: signal.Signals, tmp_path: Path, driver_of: MakeDriver
) -> None:
    driver = driver_of({}, {}, {"validate_s": 60, "begun": str(tmp_path / "begun")})
    first = driver.start()
    driver.wait_for(lambda: (tmp_path / "begun").exists() and len(driver.marks) == 2 * MUTANTS)
    time.sleep(0.3)
    # As a terminal does it: the whole process group, Ray's processes too.
    os.killpg(first.pid, number) if number == signal.SIGINT else first.send_signal(number)
    output, errors = first.communicate(timeout=30)
    assert first.returncode == 130
    assert output.startswith("interrupted: 2 of 3 cells and 60 of 90 mutants are stored in ")
    assert output.count("\n") == 1
    assert errors == ""
    driver.wait_for(lambda: not driver.left_over())
    assert {"cell:s0/a/0", "cell:s1/a/0"} <= driver.stored.index.done
    assert driver.stored.matrix() <= expected(driver.plan)


def test_a_cluster_at_an_address_does_the_work(
    driver_of: MakeDriver, local_ray: RaySession
) -> None:
    import ray

    driver = driver_of({}, {})
    assert "done 2 of 2" in driver.finish(ray.get_runtime_context().gcs_address)
    assert driver.stored.matrix() == expected(driver.plan)
    assert list(driver.temporary.glob("kg-ray-*")) == []


@pytest.mark.slow
def test_a_second_ctrl_c_ends_at_once_and_leaves_nothing_running(
    tmp_path: Path, driver_of: MakeDriver
) -> None:
    driver = driver_of({"validate_s": 60, "begun": str(tmp_path / "begun")})
    first = driver.start()
    driver.wait_for((tmp_path / "begun").exists)
    os.killpg(first.pid, signal.SIGINT)
    time.sleep(0.05)
    os.killpg(first.pid, signal.SIGINT)
    began = time.monotonic()
    first.communicate(timeout=30)
    assert first.returncode == 130
    assert time.monotonic() - began < 5
    driver.wait_for(lambda: not driver.left_over())


def test_a_finished_experiment_starts_no_ray_and_does_nothing(tmp_path: Path) -> None:
    plan = plan_of()
    options = RunOptions(store=str(tmp_path), cache=tmp_path / "c", run_job=work.measure)
    summary = run_plan(plan, options)
    assert (summary.cells, summary.done, summary.ray_start_s) == (0, 0, 0.0)


def test_the_many_units_of_a_run_are_compacted_at_its_end(tmp_path: Path) -> None:
    plan, store = plan_of(), LocalStore(tmp_path)
    for number in range(MANY_UNITS):
        rows = event_rows(plan.experiment_id, [Event(1.0, "k", f"{number}")])
        commit_unit(store, plan.experiment_id, {"events": [rows]}, [f"cell:{number}"])
    assert len(read_index(store, plan.experiment_id).objects["events"]) == MANY_UNITS
    run_plan(plan, RunOptions(store=str(tmp_path), cache=tmp_path / "c", run_job=work.measure))
    index = read_index(store, plan.experiment_id)
    assert len(index.objects["events"]) == 1
    assert index.rows["events"] == MANY_UNITS
    assert {f"cell:{number}" for number in range(MANY_UNITS)} <= index.done


def test_two_drivers_of_one_experiment_are_refused(tmp_path: Path) -> None:
    options = RunOptions(store=str(tmp_path), cache=tmp_path / "c", run_job=work.measure)
    with (
        only_driver(tmp_path / "c", str(tmp_path), "made-12345678"),
        pytest.raises(ConfigError, match=f"is being run by process {os.getpid()}"),
    ):
        run_plan(plan_of({}), options)
    with only_driver(tmp_path / "c", str(tmp_path), "made-12345678"):
        pass


def test_a_summary_with_missing_cells_or_disagreements_fails_its_check_in_one_line() -> None:
    from dataclasses import replace

    from cluster.options import RunSummary

    good = RunSummary("x-1", "store", cells=9, done=9, done_before=0)
    good.verify()
    missing = tuple((f"c{n}", "node lost") for n in range(5))
    with pytest.raises(SelfCheckError) as failed:
        replace(good, missing=missing, disagreements=2).verify()
    assert str(failed.value).startswith("x-1: 5 of 9 cells are missing (c0: node lost; ")
    assert "and 2 more" in str(failed.value)
    assert "2 outcomes were not the same" in str(failed.value)
    assert "\n" not in str(failed.value)
    assert failed.value.exit_code == 1
