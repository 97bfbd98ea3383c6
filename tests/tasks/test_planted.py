"""Tests that fail on the correct code are run on the planted bug, whatever is left out else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.job import run_job
from tasks.records import ExecutionSettings, Mutant
from tasks.results import Job
from tests.tasks.measuring import QUICK, Measured, cache, mutant, subject, suite

SOURCE = "def work(x):\n    return x + 1\n\n\ndef other(x):\n    return x * 2\n"
BUG = SOURCE.replace("x + 1", "x + 2")
ELSEWHERE = SOURCE.replace("x * 2", "x * 3")
LOCKING = "from solution import work\n\ndef test_locks():\n    assert work(1) == 3\n"
WRONG = LOCKING + "\ndef test_wrong():\n    raise KeyError('no such thing')\n"
KEPT = "\ndef test_right():\n    assert work(1) == 2\n"
OF = subject(SOURCE)
LIMITS = replace(QUICK, collect_s=1.0, wall_floor_s=0.5)


def job(source: str, made: dict[str, str], **settings: object) -> Job:
    mutants = tuple(planted(name, text) for name, text in made.items())
    chosen = ExecutionSettings(recheck_share=0.0, limits=LIMITS, **settings)  # type: ignore[arg-type]
    return Job(OF, suite(source), mutants, chosen)


def planted(name: str, source: str) -> Mutant:
    return replace(mutant(OF, name, source), planted=name.startswith("bug"))


def run(source: str, made: dict[str, str], **settings: object) -> Measured:
    return Measured(run_job(job(source, made, **settings), cache()))


@pytest.mark.parametrize("strategy", ["auto", "process"])
def test_a_suite_without_kept_tests_is_run_on_the_planted_bug_only(strategy: str) -> None:
    measured = run(WRONG, {"else": ELSEWHERE, "bug": BUG}, strategy=strategy)
    assert measured.validation.status == "no_kept_tests"
    assert measured.matrix() == {"bug": {"test_locks": "passed", "test_wrong": "failed"}}


def test_a_later_job_of_such_a_suite_brings_the_same_row() -> None:
    first = job(WRONG, {"bug": BUG})
    validation = run_job(first, cache()).validation
    again = Measured(run_job(replace(first, validation=validation), cache()))
    assert again.matrix() == {"bug": {"test_locks": "passed", "test_wrong": "failed"}}


def test_tests_that_cannot_kill_are_really_run_on_the_planted_bug() -> None:
    many = (
        WRONG
        + KEPT
        + (
            "\nimport pytest\nfrom solution import other\n"
            "@pytest.mark.parametrize('n', range(60))\n"
            "def test_other(n): assert other(n) == 2 * n\n"
        )
    )
    far = SOURCE.replace("def other", "def extra(x):\n    return x\n\n\ndef other")
    far = far.replace("x * 2", "x * 2 + 0")
    measured = run(many, {"else": ELSEWHERE, "bug": BUG, "bug_far": far}, matrix="first_kill")
    rows = measured.matrix()
    assert list(rows) == ["bug", "bug_far", "else"]
    assert len(rows["bug"]) == len(rows["bug_far"]) == 63
    assert rows["bug"]["test_locks"] == "passed"
    assert rows["bug"]["test_right"] == "failed"
    taken = {row.mutant_id: row for row in measured.result.rows}
    assert all(entry.duration_s > 0 for entry in taken["m-bug"].executions)


def test_a_budget_that_is_used_up_leaves_no_planted_bug_out() -> None:
    asked = job(WRONG + KEPT, {"else": ELSEWHERE, "bug": BUG})
    result = run_job(replace(asked, budget_s=1e-6), cache())
    assert [row.mutant_id for row in result.rows] == ["m-bug"]


def test_the_first_failure_on_the_correct_code_is_told_and_remembered() -> None:
    asked = job(WRONG + KEPT, {"bug": BUG})
    result = run_job(asked, cache())
    assert result.validation is not None
    told = [(test.exception, test.message) for test in result.validation.tests]
    assert told[0] == ("AssertionError", "[test_solution.py:4]")
    assert told[1] == ("KeyError", "'no such thing' [test_solution.py:7]")
    assert told[2] == ("", "")
    again = run_job(replace(asked, validation=result.validation), cache())
    assert again.validation == result.validation


def test_cpu_time_of_the_sandbox_is_counted() -> None:
    burning = KEPT.replace(
        "    assert", "    end = clock() + 0.1\n    while clock() < end: pass\n    assert"
    )
    source = "from time import process_time as clock\nfrom solution import work\n" + burning
    result = run_job(job(source, {"bug": BUG}), cache())
    assert 0.5 <= result.cpu_s <= 5.0  # two baselines, identity, canary, the mutant


def test_a_test_that_hangs_on_the_correct_code_gets_the_least_limit_later() -> None:
    source = LOCKING + KEPT + "\ndef test_sleeps():\n    import time\n    time.sleep(10 ** 6)\n"
    measured = run(source, {"bug": BUG})
    assert measured.dropped()["test_sleeps"] == "wrong_oracle"
    assert measured.matrix()["bug"]["test_sleeps"] == "timeout"
    (row,) = measured.result.rows
    assert row.executions[2].duration_s < 2.5  # without that, 40 s
