"""The plain way of running mutants: complete rows, whatever a mutant does."""

from __future__ import annotations

import pytest

from benchmarks.cases import Case
from benchmarks.plain_pytest import PlainPytest, Result
from tests.tasks import measuring

SOURCE = "def double(x):\n    return 2 * x\n"
SUITE = """
import pytest
from solution import double

@pytest.fixture
def made():
    return double(1)

def test_first():
    assert double(1) == 2

@pytest.mark.parametrize("x", [1, 1], ids=["same", "same"])
def test_twice(x):
    assert double(x) == 2

def test_made(made):
    pass

@pytest.mark.skip
def test_skipped():
    pass

@pytest.mark.xfail(strict=True)
def test_expected():
    assert double(1) == 3

def test_last():
    assert True
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> PlainPytest:
    subject = measuring.subject(SOURCE)
    case = Case(subject, measuring.suite(SUITE), ())
    return PlainPytest(case, measuring.cache(), tmp_path_factory.mktemp("plain"))


def outcomes(row: dict[tuple[str, int], Result]) -> list[str]:
    return [result.outcome for result in row.values()]


def test_baseline_has_every_outcome_of_pytest(plain: PlainPytest) -> None:
    keys = [(nodeid.partition("::")[2], count) for nodeid, count in plain.baseline]
    assert keys[0] == ("test_first", 0)
    assert outcomes(plain.baseline) == [
        "passed",
        "passed",
        "passed",
        "passed",
        "skipped",
        "xfailed",
        "passed",
    ]


def test_a_failing_fixture_is_an_error(plain: PlainPytest) -> None:
    row = plain.row({"solution.py": b"def double(x):\n    return 1 / 0\n"})
    assert outcomes(row) == ["failed"] * 3 + ["error", "skipped", "xfailed", "passed"]


def test_a_strict_xfail_that_passes_is_a_failure(plain: PlainPytest) -> None:
    row = plain.row({"solution.py": b"def double(x):\n    return 3 * x\n"})
    assert outcomes(row)[5] == "failed"


def test_a_file_that_cannot_be_collected_gives_errors(plain: PlainPytest) -> None:
    assert set(outcomes(plain.row({"solution.py": b"1 / 0\n"}))) == {"error"}


def test_a_row_goes_on_after_a_test_that_ends_its_process(plain: PlainPytest) -> None:
    source = b"import os\ndef double(x):\n    os._exit(0)\n"
    row = plain.row({"solution.py": source})
    assert outcomes(row) == ["crashed"] * 4 + ["skipped", "crashed", "passed"]


def test_a_row_goes_on_after_a_test_that_hangs(plain: PlainPytest) -> None:
    source = (
        b"def double(x):\n    while x == 1 and not done:\n        pass\n    return 2\ndone = []\n"
    )
    row = plain.row({"solution.py": source}, patience_s=0.4)
    assert outcomes(row) == ["timeout"] * 4 + ["skipped", "timeout", "passed"]
