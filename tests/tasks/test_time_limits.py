"""What a test may take on a mutant, beside what it took on the correct code."""

from __future__ import annotations

from tests.tasks.measuring import measure, subject, suite

SUITE = '''
import time

from hypothesis import given
from hypothesis import strategies as st

from solution import double

spent = []


def check(value):
    """Fails as a property test does that shrinks its example: after 1.5 s of work."""
    if double(value) != 2 * value:
        begun = time.process_time()
        while not spent and time.process_time() - begun < 1.5:
            pass
        spent.append(value)
        raise AssertionError(value)


@given(st.integers())
def test_property(value):
    check(value)


def test_example():
    check(1)
'''


def test_a_property_test_may_shrink_where_another_test_is_given_up() -> None:
    of = subject("def double(x):\n    return x + x\n")
    wrong: dict[str, str | bytes] = {"wrong": "def double(x):\n    return x * x + 7\n"}
    found = measure(of, suite(SUITE), wrong, isolation="test")
    assert found.matrix() == {"wrong": {"test_property": "failed", "test_example": "timeout"}}
