"""Which tests may kill, and which tests a mutant needs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.sandbox.judging import TestFacts, covering, drop_reason, sampled


def facts(ordinal: int, executed: set[str], always: bool = False) -> TestFacts:
    return TestFacts(
        ("t", ordinal), ordinal, ("passed",), 0.0, 0.0, frozenset(executed), always, False
    )


TESTS = (facts(0, {"a.py::f"}), facts(1, {"a.py::g"}), facts(2, set(), always=True))


@pytest.mark.parametrize(
    ("outcomes", "reason"),
    [
        (("passed", "passed"), ""),
        (("passed", "failed"), "flaky"),
        (("passed", "skipped"), "flaky"),
        (("failed", "failed"), "wrong_oracle"),
        (("error",), "wrong_oracle"),
        (("timeout", "timeout"), "wrong_oracle"),
        (("crashed", "crashed"), "wrong_oracle"),
        (("skipped", "skipped"), "skipped"),
        (("xfailed",), "xfailed"),
        (("xpassed",), "xpassed"),
    ],
)
def test_only_a_test_that_passes_every_time_is_kept(outcomes: tuple[str, ...], reason: str) -> None:
    assert drop_reason(outcomes) == reason


def test_a_mutant_needs_the_tests_that_enter_its_function_and_those_that_always_run() -> None:
    assert covering(TESTS, ["a.py::f"], []) == (0, 2)


def test_a_mutant_outside_functions_needs_every_test() -> None:
    assert covering(TESTS, [], []) == (0, 1, 2)


def test_a_mutant_of_a_function_that_shared_code_runs_needs_every_test() -> None:
    assert covering(TESTS, ["a.py::f"], ["a.py::f"]) == (0, 1, 2)


def test_a_mutant_that_no_test_enters_still_runs_what_cannot_be_watched() -> None:
    assert covering(TESTS, ["a.py::h"], []) == (2,)


@given(st.integers(0, 2**63 - 1), st.text(), st.text())
def test_a_share_of_none_and_of_all_are_exact(seed: int, suite: str, mutant: str) -> None:
    assert not sampled(seed, suite, mutant, 0.0)
    assert sampled(seed, suite, mutant, 1.0)


def test_the_sample_is_stable_and_of_its_size() -> None:
    chosen = [n for n in range(20_000) if sampled(1, "s", f"m-{n}", 0.01)]
    assert chosen == [n for n in range(20_000) if sampled(1, "s", f"m-{n}", 0.01)]
    assert 140 < len(chosen) < 260  # four standard deviations around 200
    assert chosen != [n for n in range(20_000) if sampled(2, "s", f"m-{n}", 0.01)]
