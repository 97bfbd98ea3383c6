from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from cluster import sizes
from cluster.sizes import first_sample, limit_seconds, row_seconds, setup_seconds, shards_of
from tasks.records import ExecutionSettings
from tasks.results import Execution, Row
from tests.cluster.test_resume import made_validation

COUNTS = st.integers(1, 500)


@given(count=COUNTS, row_s=st.floats(0.001, 100), cpus=st.integers(1, 64))
def test_shards_hold_every_mutant_once_and_none_is_empty(
    count: int, row_s: float, cpus: int
) -> None:
    shards = shards_of(range(count), row_s, 0.5, cpus, 1000)
    assert sorted(n for shard in shards for n in shard) == list(range(count))
    assert all(shards)


@given(count=COUNTS, row_s=st.floats(0.001, 10))
def test_a_shard_is_no_longer_than_it_should_be(count: int, row_s: float) -> None:
    longest = max(len(shard) for shard in shards_of(range(count), row_s, 0.5, 1, 1000))
    assert longest == 1 or longest * row_s <= sizes.SHARD_S + row_s


def test_short_work_is_spread_over_idle_cpus_but_not_crumbled() -> None:
    assert len(shards_of(range(100), 0.1, 0.5, 4, 1000)) == 4
    assert len(shards_of(range(100), 0.01, 0.5, 4, 1000)) == 1


def test_a_task_does_not_carry_more_sources_than_its_host_can_take() -> None:
    bytes_each = 160_000
    for shard in shards_of(range(2400), 0.001, 0.5, 1, bytes_each):
        assert len(shard) * bytes_each <= sizes.TASK_BYTES
    assert len(first_sample(2400, bytes_each)) * bytes_each <= sizes.TASK_BYTES
    assert first_sample(200, 1000) == tuple(range(200))
    assert first_sample(0, 0) == ()


def test_a_suite_that_is_slow_to_set_up_is_cut_into_few_shards() -> None:
    assert len(shards_of(range(100), 1.0, 0.5, 2, 1000)) == 7
    assert len(shards_of(range(100), 1.0, 50.0, 2, 1000)) == 2
    assert len(shards_of(range(100), 1.0, 500.0, 8, 1000)) == 1


def test_a_row_is_estimated_by_measured_rows_where_there_are_any() -> None:
    validation = made_validation()
    reaching, other = validation.tests[0], replace(validation.tests[0], executed=())
    both = replace(validation, tests=(reaching, replace(other, always_run=False)), baseline_s=9.0)
    assert row_seconds(both, []) == reaching.duration_s + sizes.ROW_S
    rows = [Row("a", "swap", (entry(2.0), entry(0.0))), Row("b", "swap", (entry(2.0), entry(2.0)))]
    assert row_seconds(both, rows) == 3.0 + sizes.ROW_S
    assert setup_seconds(10.0, rows) == 4.0
    assert setup_seconds(1.0, rows) == 0.0
    assert setup_seconds(10.0, rows, baselines_s=3.0) == 1.0


def entry(duration_s: float) -> Execution:
    return Execution(0, "passed", True, duration_s, "", "")


def test_a_deadline_leaves_room_for_the_slowest_row() -> None:
    settings = ExecutionSettings()
    limits = settings.limits
    wall = max(limits.wall_floor_s, limits.cpu_multiplier * 0.25) * (1 + limits.confirm_factor)
    assert limit_seconds(settings, made_validation(), 30.0) > 30.0 + wall
    assert limit_seconds(settings, None, 10.0) > sizes.LONGEST_ROW_S
