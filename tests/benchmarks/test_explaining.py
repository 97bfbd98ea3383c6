"""A disagreement is explained by evidence only."""

from __future__ import annotations

from collections import Counter

from benchmarks.explaining import compare_cells, compare_verdicts
from benchmarks.matrices import Matrix
from benchmarks.mutmut_run import MutmutResult
from benchmarks.plain_pytest import Result, Row
from tasks.records import Mutant
from tasks.results import Execution, Test
from tests.tasks import measuring

FAST, SLOW = ("test_a.py::test_fast", 0), ("test_a.py::test_slow", 0)
MUTANT = measuring.mutant(measuring.subject(""), "solution.x_f__mutmut_1", "")
MUTANTS: dict[str, Mutant] = {MUTANT.mutant_id: MUTANT}


def matrix(**outcomes: str) -> Matrix:
    """One mutant's row over two tests; a test is left out of the row by not naming it."""
    tests = {
        key: Test(f"t{n}", "s", n, key[0], True, "", ("passed",), 0.01, 0.01)
        for n, key in enumerate((FAST, SLOW))
    }
    row = {
        key: Execution(n, outcomes[name], True, 0.0, "", "")
        for n, (name, key) in enumerate((("fast", FAST), ("slow", SLOW)))
    }
    return Matrix(tests, {MUTANT.mutant_id: row}, Counter(), (), 0.0)


def reasons(ours: Matrix, first: Row, second: Row) -> list[str]:
    _, found = compare_cells(ours, {MUTANT.mutant_id: first}, MUTANTS, lambda _: second)
    return [each.reason for each in found]


def row(fast: str, slow: str, seconds: float = 0.0) -> Row:
    return {FAST: Result(fast, seconds), SLOW: Result(slow, seconds)}


def test_equal_cells_are_counted_and_not_run_again() -> None:
    cells, found = compare_cells(
        matrix(fast="passed", slow="failed"),
        {MUTANT.mutant_id: row("passed", "failed")},
        MUTANTS,
        lambda _: {},
    )
    assert (cells, found) == (2, [])


def test_a_difference_that_stays_is_unexplained() -> None:
    ours = matrix(fast="passed", slow="failed")
    assert reasons(ours, row("passed", "passed"), row("passed", "passed")) == [""]


def test_a_plain_run_that_changes_its_mind_is_a_reason() -> None:
    ours = matrix(fast="passed", slow="failed")
    (reason,) = reasons(ours, row("passed", "passed"), row("passed", "failed"))
    assert "not stable" in reason


def test_a_timeout_is_explained_only_by_a_duration_above_the_limit() -> None:
    ours = matrix(fast="passed", slow="timeout")
    slow, quick = row("passed", "passed", 7.0), row("passed", "passed", 0.2)
    assert "only after 7.0 s" in reasons(ours, slow, slow)[0]
    assert reasons(ours, quick, quick) == [""]


def verdict_reasons(
    ours: Matrix, status: str, *chosen: tuple[str, int], plain: Row | None = None
) -> list[str]:
    tests = {"solution.x_f": frozenset(nodeid for nodeid, _ in chosen)}
    theirs = MutmutResult({MUTANT.name: status}, {MUTANT.name: 1.0}, tests)
    _, found = compare_verdicts(ours, theirs, MUTANTS, lambda _: plain or row("timeout", "timeout"))
    return [each.reason for each in found]


def test_equal_verdicts_need_no_reason() -> None:
    assert verdict_reasons(matrix(fast="failed", slow="passed"), "killed", FAST) == []
    assert verdict_reasons(matrix(fast="passed", slow="passed"), "survived", FAST) == []
    assert verdict_reasons(matrix(fast="crashed", slow="passed"), "segfault", FAST) == []


def test_a_kill_that_mutmut_missed_is_explained_by_tests_it_did_not_choose() -> None:
    ours = matrix(fast="passed", slow="failed")
    assert "none of the tests that kill it" in verdict_reasons(ours, "survived", FAST)[0]
    assert verdict_reasons(ours, "survived", FAST, SLOW) == [""]


def test_a_timeout_in_mutmut_is_explained_by_a_killing_test_that_hangs() -> None:
    ours = matrix(fast="timeout", slow="failed")
    assert "hang" in verdict_reasons(ours, "timeout", FAST, SLOW)[0]
    assert verdict_reasons(matrix(fast="failed", slow="failed"), "timeout", FAST, SLOW) == [""]


def test_a_kill_that_only_mutmut_sees_is_unexplained() -> None:
    assert verdict_reasons(matrix(fast="passed", slow="passed"), "killed", FAST) == [""]


def test_a_kill_here_a_timeout_is_explained_only_by_a_failure_after_the_limit() -> None:
    ours = matrix(fast="timeout", slow="passed")
    late, soon = row("failed", "passed", 9.0), row("failed", "passed", 0.1)
    assert "only after 9.0 s" in verdict_reasons(ours, "killed", FAST, plain=late)[0]
    assert verdict_reasons(ours, "killed", FAST, plain=soon) == [""]
    assert verdict_reasons(ours, "killed", FAST) == [""]
