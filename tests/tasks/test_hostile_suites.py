"""Bad suites end in the right status or the right marks, never in a plausible number."""

from __future__ import annotations

import pytest

from tasks.records import Environment, SourceFile
from tests.tasks.measuring import measure, subject, suite

SOURCE = """\
def work(x):
    return x + 1
"""
MUTANTS: dict[str, str | bytes] = {"plus_two": SOURCE.replace("x + 1", "x + 2")}
GOOD = "from solution import work\n\ndef test_good():\n    assert work(1) == 2\n"

STATUSES = {
    "not_python": ("def test_(:\n", "syntax_error"),
    "lone_surrogate": ("x = '\ud800'\n", "syntax_error"),
    "null_byte": ("x = 1\0\n", "syntax_error"),
    "nothing": ("from solution import work\n", "no_tests"),
    "empty": ("", "no_tests"),
    "raises_at_import": ("raise ValueError('no')\n", "collect_error"),
    "missing_module": ("import does_not_exist\n" + GOOD, "collect_error"),
    "wrong_name": ("from solution import play\n" + GOOD, "collect_error"),
    "sys_exit_at_import": ("import sys\nsys.exit(0)\n", "collect_error refused collect_crashed"),
    "os_exit_at_import": ("import os\nos._exit(0)\n", "collect_crashed"),
    "segfault_at_import": ("import ctypes\nctypes.string_at(0)\n", "collect_crashed"),
    "kills_everything_at_import": ("import os\nos.kill(-1, 9)\n", "collect_error"),
    "hangs_at_import": ("while True:\n    pass\n", "collect_timeout"),
    "sleeps_at_import": ("import time\ntime.sleep(10 ** 6)\n", "collect_timeout"),
    "never_right": (
        "from solution import work\n\ndef test_x():\n    assert work(1) == 5\n",
        "no_kept_tests",
    ),
    "always_skips": (
        "import pytest\nfrom solution import work\n\ndef test_x():\n    pytest.skip()\n",
        "no_kept_tests",
    ),
    "never_calls": ("import solution\n\ndef test_x():\n    assert 1 == 1\n", "not_exercised"),
    "swallows": (
        "from solution import work\n\ndef test_x():\n    try:\n        assert work(1) == 2\n"
        "    except BaseException:\n        pass\n",
        "not_exercised",
    ),
}


@pytest.mark.parametrize("name", STATUSES)
def test_a_suite_that_cannot_measure_says_why_and_has_no_rows(name: str) -> None:
    source, statuses = STATUSES[name]
    measured = measure(subject(SOURCE), suite(source), MUTANTS)
    assert measured.validation.status in statuses.split()
    assert measured.validation.reason
    assert measured.result.rows == ()


def test_a_good_suite_is_measured_right_after_all_the_bad_ones() -> None:
    measured = measure(subject(SOURCE), suite(GOOD), MUTANTS)
    assert measured.validation.status == "valid"
    assert measured.matrix() == {"plus_two": {"test_good": "failed"}}


def test_a_suite_with_more_tests_than_the_limit_is_refused() -> None:
    from dataclasses import replace

    from tests.tasks.measuring import QUICK

    many = "import pytest\n@pytest.mark.parametrize('n', range(11))\ndef test_x(n):\n    pass\n"
    measured = measure(subject(SOURCE), suite(many), limits=replace(QUICK, tests=10))
    assert measured.validation.status == "too_many_tests"
    assert "11" in measured.validation.reason


def test_a_conftest_that_replaces_the_loop_over_tests_is_refused() -> None:
    conftest = "def pytest_runtestloop(session):\n    return True\n"
    measured = measure(subject(SOURCE), suite(GOOD, conftest=conftest), MUTANTS)
    assert measured.validation.status == "refused"
    assert "conftest" in measured.validation.reason


def test_inherited_addopts_do_not_stop_a_row_at_its_first_failure() -> None:
    ini = SourceFile("pytest.ini", b"[pytest]\naddopts = -x --maxfail=1\n")
    of = subject(SOURCE)
    of = subject(SOURCE, files=(*of.files, ini))
    two = GOOD + "\ndef test_second():\n    assert work(2) == 3\n"
    assert measure(of, suite(two), MUTANTS).matrix() == {
        "plus_two": {"test_good": "failed", "test_second": "failed"}
    }


def test_flaky_and_wrong_tests_are_marked_and_never_kill() -> None:
    source = GOOD + (
        "\ndef test_wrong():\n    assert work(1) == 5\n"
        "\ndef test_flaky():\n    import os\n    assert work(1) and os.urandom(6) < bytes(5)\n"
    )
    # A coin of 48 bits never falls twice alike by chance when it is the name of a folder.
    source = source.replace(
        "os.urandom(6) < bytes(5)", "int.from_bytes(os.urandom(8), 'big') % 2 == 0"
    )
    many = (
        source
        + "\nimport pytest\n@pytest.mark.parametrize('n', range(40))\ndef test_coin(n):\n    test_flaky()\n"
    )
    measured = measure(subject(SOURCE), suite(many), MUTANTS, baseline_runs=3)
    dropped = measured.dropped()
    assert dropped["test_wrong"] == "wrong_oracle"
    assert "flaky" in {dropped.get(f"test_coin[{n}]") for n in range(40)}
    assert "test_good" not in dropped


def test_a_test_that_reads_the_source_fails_the_identity_control() -> None:
    source = GOOD + (
        "\ndef test_text():\n    import inspect\n"
        "    assert inspect.getsource(work) == 'def work(x):\\n    # one more\\n    return x + 1\\n'\n"
    )
    text = SOURCE.replace("    return", "    # one more\n    return")
    measured = measure(subject(text), suite(source), {})
    assert measured.dropped() == {"test_text": "fails_control"}


def test_a_suite_that_passes_only_in_order_is_measured_in_order() -> None:
    source = (
        "from solution import work\nstate = []\n"
        "\ndef test_one():\n    state.append(work(0))\n"
        "\ndef test_two():\n    assert state == [1]\n"
    )
    for isolation, expected in (("row", "failed"), ("test", "failed")):
        measured = measure(subject(SOURCE), suite(source), MUTANTS, isolation=isolation)
        assert measured.validation.status == "valid"
        assert measured.matrix()["plus_two"] == {"test_one": "passed", "test_two": expected}


def test_odd_test_ids_are_kept_to_the_letter() -> None:
    source = (
        "import pytest\nfrom solution import work\n"
        "IDS = ['a/b', 'line\\nbreak', 'ünï', 'a::b', 'x[y]', ' ', '\\\\', '\\udc80']\n"
        "@pytest.mark.parametrize('n', range(len(IDS)), ids=IDS)\n"
        "def test_x(n):\n    assert work(n) == n + 1\n"
    )
    measured = measure(subject(SOURCE), suite(source), MUTANTS)
    assert len(measured.validation.tests) == 8
    assert set(measured.matrix()["plus_two"].values()) == {"failed"}
    assert len(measured.matrix()["plus_two"]) == 8


def test_every_kind_of_test_has_its_outcome() -> None:
    source = """\
import unittest
import warnings
import pytest
from hypothesis import given, strategies as st
from solution import work

class TestCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.value = 1

    def test_sub(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertEqual(work(n), n + self.value)

    @unittest.expectedFailure
    def test_expected(self):
        self.assertEqual(work(1), 3)

    @unittest.skip("no")
    def test_skipped(self):
        pass

@pytest.mark.xfail(strict=True)
def test_strict():
    assert work(1) == 3

@pytest.mark.xfail
def test_xfail():
    assert work(1) == 3

@given(st.integers())
def test_property(n):
    assert work(n) == n + 1

@pytest.mark.filterwarnings("error")
def test_warning():
    warnings.warn("w") if work(1) != 2 else None

@pytest.fixture
def broken():
    assert work(1) == 2
    yield
    assert work(2) == 3

def test_fixture(broken):
    pass

def test_subtests(subtests):
    for n in range(3):
        with subtests.test(n=n):
            assert work(n) == n + 1
"""
    measured = measure(subject(SOURCE), suite(source), MUTANTS, strategy="swap")
    assert measured.dropped() == {
        "TestCase::test_expected": "xfailed",
        "TestCase::test_skipped": "skipped",
        "test_strict": "xfailed",
        "test_xfail": "xfailed",
    }
    assert measured.matrix()["plus_two"] == {
        "TestCase::test_sub": "failed",
        "TestCase::test_expected": "failed",
        "TestCase::test_skipped": "skipped",
        "test_strict": "failed",
        "test_xfail": "xpassed",
        "test_property": "failed",
        "test_warning": "failed",
        "test_fixture": "error",
        "test_subtests": "failed",
    }
    hypothesis = [t.nodeid for t in measured.validation.tests if t.uses_hypothesis]
    assert [name.partition("::")[2] for name in hypothesis] == ["test_property"]


def test_doctests_are_tests_too() -> None:
    doctested = 'def work(x):\n    """\n    >>> work(1)\n    2\n    """\n    return x + 1\n'
    of = subject(doctested, pytest_args=("--doctest-modules",))
    by = suite(GOOD)
    by = type(by)(**{**vars(by), "paths": ("test_solution.py", "solution.py")})
    matrix = measure(of, by, {"plus_two": doctested.replace("x + 1", "x + 2")}).matrix()
    assert matrix == {"plus_two": {"test_good": "failed", "solution.work": "failed"}}


@pytest.mark.parametrize(
    "name", ["tasks", "storage", "cluster", "configs", "host", "packaging", "pluggy"]
)
def test_a_subject_may_own_a_package_of_any_name(name: str) -> None:
    files = (SourceFile(f"{name}/__init__.py", b""), SourceFile(f"{name}/core.py", SOURCE.encode()))
    of = subject(SOURCE, files=files, targets=(f"{name}/core.py",), kind="project")
    by = suite(GOOD.replace("from solution", f"from {name}.core"))
    mutant = {"plus_two": MUTANTS["plus_two"]}
    from tasks.job import run_job
    from tasks.records import ExecutionSettings
    from tasks.results import Job
    from tests.tasks.measuring import Measured, cache
    from tests.tasks.measuring import mutant as make

    made = make(of, "plus_two", mutant["plus_two"], f"{name}/core.py")
    result = run_job(Job(of, by, (made,), ExecutionSettings(recheck_share=1.0)), cache())
    assert Measured(result).matrix() == {"plus_two": {"test_good": "failed"}}
    assert "disagreement" not in Measured(result).events()


def test_nothing_of_ours_and_nothing_of_the_machine_is_seen_inside() -> None:
    source = (
        GOOD
        + """
import os, socket, pytest

@pytest.mark.parametrize("name", ["tasks", "storage", "cluster", "configs", "queries", "boot", "journal"])
def test_cannot_import(name):
    with pytest.raises(ImportError):
        __import__(name)

def test_no_home():
    assert not os.path.exists("/root") or not os.listdir("/root") or os.listdir("/root") == [".pyenv"]
    assert os.listdir("/home") if os.path.exists("/home") else True

def test_plain_user():
    assert os.getuid() == 1000
    with pytest.raises(OSError):
        open("/etc/shadow")

def test_no_network():
    with pytest.raises(OSError):
        socket.create_connection(("192.0.2.1", 80), timeout=1)

def test_no_keys():
    assert not [n for n in os.environ if "KEY" in n or "TOKEN" in n or "AWS" in n or "PIP" in n]

def test_no_other_trees():
    assert os.listdir("/trees") == []

def test_read_only_outside_the_tree():
    for folder in ("/", "/usr", "/environment", "/killgrid", "/etc"):
        with pytest.raises(OSError):
            open(folder + "/new", "w")
"""
    )
    measured = measure(subject(SOURCE), suite(source), {}, strategy="fresh")
    assert measured.dropped() == {}


def test_an_environment_without_hypothesis_works_too() -> None:
    of = subject(SOURCE, environment=Environment("3.11", ("pytest",)))
    assert measure(of, suite(GOOD), MUTANTS).matrix() == {"plus_two": {"test_good": "failed"}}
