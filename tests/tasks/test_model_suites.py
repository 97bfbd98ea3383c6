"""A reply becomes a suite under an id of its own, with flags for all that was done."""

from __future__ import annotations

from tasks.model_suites import suite_of_reply, suite_of_source
from tasks.problems import load_problem_set

SUBJECT = load_problem_set("green_tests", ["chunk"])[0].subject
SUITE = "from solution import chunk\n\n\ndef test_a():\n    assert chunk([], 1) == []\n"


def test_a_clean_reply_is_the_suite_as_it_stands() -> None:
    written = suite_of_reply(
        "arm",
        SUBJECT,
        2,
        f"Here:\n```python\n{SUITE}```\n",
        draw=1,
        round=0,
        model="p/m",
        condition="spec_only",
        prompt_sha256="abc",
    )
    suite = written.suite
    assert suite is not None
    assert (written.reason, written.flags) == ("", ("extracted:only_block",))
    assert (suite.source, suite.paths, suite.origin) == (SUITE, ("test_chunk.py",), "model")
    assert (suite.arm, suite.replicate, suite.draw, suite.round) == ("arm", 2, 1, 0)
    assert (suite.model, suite.condition, suite.prompt_sha256) == ("p/m", "spec_only", "abc")
    assert suite.flags == written.flags


def test_whatever_is_done_to_a_reply_is_a_flag() -> None:
    cut = (
        f"```python\n{SUITE}\ndef test_b():\n    pytest.fail()\n\ndef test_c(): ...\n\ndef test_d("
    )
    written = suite_of_reply("arm", SUBJECT, 0, cut, cap_functions=2)
    assert written.suite is not None
    assert written.flags == (
        "extracted:only_block",
        "unclosed_fence",
        "cut_back",
        "capped:1",
        "added_import_pytest",
    )


def test_without_code_there_is_no_suite_but_a_reason() -> None:
    written = suite_of_reply("arm", SUBJECT, 0, "I cannot help with that.")
    assert (written.suite, written.reason) == (None, "the reply holds no code")
    assert written.flags == ("extracted:none",)
    cut = suite_of_reply("arm", SUBJECT, 0, "```python\ndef test_a(")
    assert (cut.suite, cut.reason) == (None, "cut off before its first statement ends")
    assert cut.flags == ("extracted:only_block", "unclosed_fence", "cut_back")


def test_a_reply_longer_than_any_suite_is_not_read() -> None:
    written = suite_of_reply("arm", SUBJECT, 0, f"```python\n{SUITE}{'# x' * 400_000}\n```")
    assert (written.suite, written.reason) == (None, "the reply is too long")
    assert written.flags == ("extracted:none", "too_long")
    made = suite_of_source("arm", SUBJECT, 0, "x = 1\n" * 200_000, origin="pynguin")
    assert (made.suite, made.reason) == (None, "the code is longer than 1,000,000 characters")


def test_draws_rounds_and_replicates_of_one_text_are_suites_apart() -> None:
    reply = f"```\n{SUITE}```"
    made = [
        suite_of_reply("arm", SUBJECT, replicate, reply, draw=draw, round=round).suite
        for replicate in (0, 1)
        for draw in (0, 1)
        for round in (0, 1)
    ]
    assert len({suite.suite_id for suite in made if suite is not None}) == 8


def test_a_file_that_python_cannot_read_is_a_suite_that_fails_and_no_crash() -> None:
    for text in ("def test_a(): x = '\ud800'\n", "def test_a(): x = '\0'\n", "def test_a(:\n"):
        written = suite_of_reply("arm", SUBJECT, 0, f"```python\n{text}```")
        assert written.suite is not None
        assert len(written.suite.suite_id) > 4


def test_a_generated_text_is_normalised_by_the_same_rules() -> None:
    written = suite_of_source(
        "arm", SUBJECT, 0, "def test_a(): ...\ndef test_b(): ...\n",
        origin="pynguin", cap_functions=1, flags=("tool",),
    )  # fmt: skip
    assert written.suite is not None
    assert (written.suite.origin, written.suite.flags) == ("pynguin", ("tool", "capped:1"))
