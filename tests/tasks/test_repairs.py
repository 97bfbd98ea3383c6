"""What a model is shown of its failures, and how its decision is read."""

from __future__ import annotations

import pytest

from tasks.model_records import Message
from tasks.problems import load_problem_set
from tasks.records import SourceFile
from tasks.repairs import Failure, failures_of, follow_up, read_decision
from tasks.results import Test, Validation
from tasks.writers import make_suite


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("DECISION: fix tests\n\n```python\nx\n```", "fixed_tests"),
        ("DECISION: change code\nThe cut comes too late.", "asks_code_change"),
        ("\n\n**DECISION: fix tests**\r\nx", "fixed_tests"),
        ("**Decision:** change code.\n", "asks_code_change"),
        ("`DECISION: fix tests`", "fixed_tests"),
        ("> DECISION: fix tests", "fixed_tests"),
        ("Let me see.\n\nDECISION: change code\n", "asks_code_change"),
        ("DECISION: fix tests\nand not\nDECISION: change code", "fixed_tests"),
        ("So:\nDECISION: fix tests\nDECISION: change code", "no_decision"),
        ("So:\nDECISION: fix tests\nx\nDECISION: fix tests", "fixed_tests"),
        ("DECISION: fix tests and change code", "no_decision"),
        ("My decision: fix tests", "no_decision"),
        ("```python\nimport pytest\n```", "no_decision"),
        ("", "no_decision"),
    ],
)  # fmt: skip
def test_a_decision_is_the_line_that_was_asked_for(reply: str, outcome: str) -> None:
    assert read_decision(reply) == outcome


def a_test(ordinal: int, *outcomes: str) -> Test:
    reason = "" if set(outcomes) == {"passed"} else "wrong_oracle"
    return Test(
        f"s:{ordinal}", "s", ordinal, f"t.py::test_{ordinal}", not reason, reason,
        outcomes, 0.1, 0.1, exception="E", message="m",
    )  # type: ignore[arg-type]  # fmt: skip


def test_failures_are_those_of_the_correct_code_in_order() -> None:
    tests = (
        a_test(0, "passed", "passed"),
        a_test(1, "failed", "failed"),
        a_test(2, "skipped", "skipped"),
        a_test(3, "passed", "timeout"),
    )
    found = failures_of(Validation("s", "valid", "", tests))
    assert found == (Failure("t.py::test_1", "E", "m"), Failure("t.py::test_3", "E", "m"))


def test_a_suite_that_was_never_collected_fails_as_a_whole() -> None:
    found = failures_of(Validation("s", "syntax_error", "line 3: invalid syntax"))
    assert found == (Failure("the file as a whole", "syntax_error", "line 3: invalid syntax"),)


def test_a_conversation_goes_on_under_its_first_system_message() -> None:
    subject = load_problem_set("green_tests", ["chunk"])[0].subject
    suite = make_suite("a", subject, 0, (SourceFile("test_a.py", b"x = 1\n"),), ("test_a.py",))
    asked = (Message("system", "rules"), Message("user", "task"))
    question = (Message("system", "other"), Message("user", "these fail"))
    assert follow_up(asked, suite, question) == (
        *asked,
        Message("assistant", "```python\nx = 1\n```"),
        question[1],
    )
