"""The made experiment is what the bar speaks of: suites of 8 tests, 20 mutants to run."""

from __future__ import annotations

from pathlib import Path

from benchmarks.functions import MUTANTS, TESTS, write_experiment
from cluster.plan import make_plan
from configs.loading import load_config
from tasks.job import run_job
from tasks.results import Job
from tests.tasks import measuring


def test_every_cell_is_a_suite_of_its_own_with_all_mutants(tmp_path: Path) -> None:
    config = write_experiment(tmp_path, subjects=4, replicates=2)
    plan = make_plan(load_config(config), tmp_path, measuring.cache())
    assert len({cell.suite.suite_id for cell in plan.cells}) == len(plan.cells) == 8
    assert [len(planned.runnable) for planned in plan.subjects.values()] == [MUTANTS] * 4
    for cell in plan.cells[::3]:
        planned = plan.subjects[cell.subject_id]
        result = run_job(
            Job(planned.subject, cell.suite, planned.runnable, plan.settings), measuring.cache()
        )
        assert result.validation is not None
        assert result.validation.status == "valid"
        assert [test.kept for test in result.validation.tests] == [True] * TESTS
        assert len(result.rows) == MUTANTS
