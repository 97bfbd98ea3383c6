from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cluster import matrices, sizes
from cluster.keys import validated_key
from cluster.ledger import RetryPolicy
from cluster.ray_session import RaySession
from configs.errors import SandboxError
from tasks.records import ExecutionSettings
from tests.cluster.plans import QUICK, Stored, expected, plan_of, run


@pytest.fixture
def small_budgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Budgets at which suites of a second are cut into shards."""
    monkeypatch.setattr(matrices, "FIRST_BUDGET_S", 0.2)
    monkeypatch.setattr(matrices, "SHARD_BUDGET_S", 0.4)
    monkeypatch.setattr(sizes, "SHARD_S", 0.3)


def test_every_suite_ends_in_its_complete_matrix(tmp_path: Path, local_ray: RaySession) -> None:
    plan = plan_of(*[{"tests": n % 4 + 1} for n in range(20)], mutants=5)
    board, resume = run(plan, tmp_path)
    stored = Stored(tmp_path, plan)
    assert stored.matrix() == expected(plan)
    assert board.cells_done == 20
    assert board.rows_done == board.rows == 100
    assert board.executions == stored.index.rows["executions"]
    assert {row["status"] for row in stored.rows("cells")} == {"done"}
    assert all(resume.done(f"cell:{cell.cell_id}") for cell in plan.cells)


def test_mutants_that_cannot_run_are_rows_and_are_never_executed(
    tmp_path: Path, local_ray: RaySession
) -> None:
    plan = plan_of({}, mutants=2)
    run(plan, tmp_path)
    stored = Stored(tmp_path, plan)
    assert [row["status"] for row in stored.rows("mutants")] == ["ok", "ok", "uncompilable"]
    assert {row["mutant_id"] for row in stored.rows("executions")} == {"s0-m0", "s0-m1"}


def test_a_suite_that_is_not_valid_is_stored_without_rows_and_stops_no_other(
    tmp_path: Path, local_ray: RaySession
) -> None:
    plan = plan_of({"status": "not_exercised", "reason": "nothing noticed"}, {})
    board, _ = run(plan, tmp_path)
    stored = Stored(tmp_path, plan)
    assert stored.matrix() == expected(plan)
    verdicts = {row["cell_id"]: (row["verdict"], row["reason"]) for row in stored.rows("cells")}
    assert verdicts == {"s0/a/0": ("not_exercised", "nothing noticed"), "s1/a/0": ("valid", "")}
    assert board.rows_done == board.rows


@pytest.mark.usefixtures("small_budgets")
def test_a_large_suite_is_cut_into_shards_without_gaps(
    tmp_path: Path, local_ray: RaySession
) -> None:
    plan = plan_of({"row_s": 0.03, "log": str(tmp_path / "log")}, mutants=40)
    run(plan, tmp_path / "store")
    stored = Stored(tmp_path / "store", plan)
    shards = [key for key in stored.index.done if ":shard:" in key]
    assert len(shards) >= 2
    assert stored.matrix() == expected(plan)
    assert [mark.stat().st_size for mark in (tmp_path / "log").iterdir()] == [1] * 40
    assert len(stored.rows("suites")) == len(stored.rows("cells")) == 1
    assert len(stored.rows("tests")) == 3


@pytest.mark.usefixtures("small_budgets")
def test_a_cells_times_are_the_sum_over_its_tasks(tmp_path: Path, local_ray: RaySession) -> None:
    plan = plan_of({"row_s": 0.05}, mutants=12)
    run(plan, tmp_path)
    (cell,) = Stored(tmp_path, plan).rows("cells")
    assert cell["wall_s"] >= 12 * 0.05
    assert cell["cpu_s"] >= 2 * 0.5
    assert cell["cpu_s"] % 0.5 == 0
    assert cell["attempts"] == 1


@pytest.mark.parametrize("trouble", ["infra", "exit", "bug"])
def test_a_cell_that_met_trouble_once_is_as_good_as_new(
    trouble: str, tmp_path: Path, local_ray: RaySession
) -> None:
    told = {"trouble": trouble, "times": 1, "marker": str(tmp_path / "m")}
    plan = plan_of(told, {})
    board, _ = run(plan, tmp_path / "store")
    stored = Stored(tmp_path / "store", plan)
    assert stored.matrix() == expected(plan)
    attempts = {row["cell_id"]: row["attempts"] for row in stored.rows("cells")}
    assert attempts == {"s0/a/0": 2, "s1/a/0": 1}
    assert board.failed == 1
    kind = {"bug": "attempt_bug", "exit": "attempt_lost"}.get(trouble, "attempt_infra")
    assert len(stored.events(kind)) == 1


def test_a_cell_that_keeps_failing_is_missing_with_its_reason_and_later_done(
    tmp_path: Path, local_ray: RaySession
) -> None:
    told = {"trouble": "infra", "times": 7, "marker": str(tmp_path / "m")}
    plan = plan_of(told, {})
    store = tmp_path / "store"
    for _ in range(2):
        board, resume = run(plan, store)
        assert board.cells_missing == 1
        assert "host went away" in resume.missing()["s0/a/0"]
        stored = Stored(store, plan)
        assert stored.matrix() == expected(plan, without=("s0/a/0",))
        states = {row["cell_id"]: row["status"] for row in stored.rows("cells")}
        assert states == {"s0/a/0": "missing", "s1/a/0": "done"}
        assert len(stored.rows("cells")) == 2
    _, resume = run(plan, store)
    assert resume.missing() == {}
    assert Stored(store, plan).matrix() == expected(plan)
    assert len(Stored(store, plan).events("cell_missing")) == 2


def test_a_row_that_was_lost_is_asked_for_again(tmp_path: Path, local_ray: RaySession) -> None:
    plan = plan_of({"lose_once": ["s0-m2"], "marker": str(tmp_path / "m")})
    run(plan, tmp_path / "store")
    stored = Stored(tmp_path / "store", plan)
    assert stored.matrix() == expected(plan)
    assert stored.events("lost_row") == ["s0-m2"]


def test_a_row_that_never_comes_makes_its_cell_missing(
    tmp_path: Path, local_ray: RaySession
) -> None:
    plan = plan_of({"lose": ["s0-m2"]}, {})
    _, resume = run(plan, tmp_path)
    assert resume.missing() == {"s0/a/0": "no row for 1 mutants: s0-m2"}
    assert len(Stored(tmp_path, plan).events("lost_row")) == 1 + 3


@pytest.mark.usefixtures("small_budgets")
def test_a_suite_that_is_slower_to_set_up_than_a_budget_gets_its_rows(
    tmp_path: Path, local_ray: RaySession
) -> None:
    plan = plan_of({"setup_s": 1.5}, mutants=6)
    _, resume = run(plan, tmp_path)
    assert resume.missing() == {}
    assert Stored(tmp_path, plan).matrix() == expected(plan)


def test_disagreements_are_counted_over_all_runs(tmp_path: Path, local_ray: RaySession) -> None:
    plan = plan_of({"differ": ["s0-m0", "s0-m1"]}, {})
    _, resume = run(plan, tmp_path)
    assert resume.disagreements() == 2
    _, resume = run(plan, tmp_path)
    assert resume.disagreements() == 2


def test_a_node_without_a_sandbox_stops_the_run_and_finished_cells_stay(
    tmp_path: Path, local_ray: RaySession
) -> None:
    bad: dict[str, Any] = {"trouble": "sandbox", "times": 99, "marker": str(tmp_path / "m")}
    plan = plan_of(*[{}] * 6, bad | {"validate_s": 0.5})
    with pytest.raises(SandboxError, match="no user namespaces"):
        run(plan, tmp_path / "store")
    done = Stored(tmp_path / "store", plan).index.done
    assert {f"cell:s{n}/a/0" for n in range(4)} <= done
    assert "cell:s6/a/0" not in done


def test_what_is_stored_is_not_done_again(tmp_path: Path, local_ray: RaySession) -> None:
    log = {"log": str(tmp_path / "log")}
    first = plan_of(log, log)
    run(first, tmp_path / "store")
    more = plan_of(log, log, log)
    board, _ = run(more, tmp_path / "store")
    assert Stored(tmp_path / "store", more).matrix() == expected(more)
    assert all(mark.stat().st_size == 1 for mark in (tmp_path / "log").iterdir())
    assert board.rows_done - board.rows_begun_with == 4


@pytest.mark.usefixtures("small_budgets")
def test_a_half_done_large_suite_is_taken_up_at_its_shards(
    tmp_path: Path, local_ray: RaySession
) -> None:
    told = {"row_s": 0.03, "log": str(tmp_path / "log")}
    bad = told | {"lose": ["s0-m20"]}
    run(plan_of(bad, mutants=40), tmp_path / "store", RetryPolicy(infra=1, pause_s=0.01))
    before = Stored(tmp_path / "store", plan_of(bad)).index
    assert validated_key("s0/a/0", "default") in before.done
    cured = plan_of(told, mutants=40)
    board, resume = run(cured, tmp_path / "store", QUICK)
    stored = Stored(tmp_path / "store", cured)
    assert resume.missing() == {}
    assert sum(stored.matrix().values()) == len(stored.matrix()) == 40 * 3
    assert board.rows_begun_with > 0
    shard_of_lost = [n for n in board_marks(tmp_path / "log") if n > 1]
    assert len(shard_of_lost) < 40 / 2
    assert stored.index.repeated == frozenset()


def board_marks(folder: Path) -> list[int]:
    return [mark.stat().st_size for mark in folder.iterdir()]


def test_a_suite_that_cannot_kill_still_meets_the_planted_bug(
    tmp_path: Path, local_ray: RaySession
) -> None:
    plan = plan_of({"status": "no_kept_tests"}, mutants=5, planted=3)
    board, _ = run(plan, tmp_path)
    stored = Stored(tmp_path, plan)
    assert {row["mutant_id"] for row in stored.rows("executions")} == {"s0-m3"}
    assert stored.matrix() == expected(plan)
    assert [row["verdict"] for row in stored.rows("cells")] == ["no_kept_tests"]
    assert board.rows_done == board.rows


def places(*names: str) -> list[ExecutionSettings]:
    return [ExecutionSettings(environment=n, variables=(("TZ", n),)) for n in names]


@pytest.mark.usefixtures("small_budgets")
def test_every_environment_gets_a_matrix_of_its_own(tmp_path: Path, local_ray: RaySession) -> None:
    plan = plan_of({"row_s": 0.03}, {}, mutants=20, settings=places("UTC", "Asia/Tokyo"))
    board, _ = run(plan, tmp_path)
    stored = Stored(tmp_path, plan)
    assert stored.matrix() == expected(plan)
    assert board.rows_done == board.rows == 80
    made = {
        (row["cell_id"], row["environment"], row["primary"]) for row in stored.rows("validations")
    }
    assert made == {
        (cell, name, name == "UTC")
        for cell in ("s0/a/0", "s1/a/0")
        for name in ("UTC", "Asia/Tokyo")
    }
    assert len(stored.rows("suites")) == len(stored.rows("cells")) == 2
    assert len(stored.rows("tests")) == 2 * 2 * 3


def test_a_suite_that_is_not_valid_is_run_in_no_other_environment(
    tmp_path: Path, local_ray: RaySession
) -> None:
    plan = plan_of({"status": "collect_error"}, settings=places("a", "b"))
    board, _ = run(plan, tmp_path)
    assert [row["environment"] for row in Stored(tmp_path, plan).rows("validations")] == ["a"]
    assert board.cells_done == 1
