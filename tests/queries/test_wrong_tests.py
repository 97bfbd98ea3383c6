"""Reports on what tests get wrong: suspects, property_tests, bug_locking."""

from __future__ import annotations

from typing import Any

import pytest

from tests.queries.macros import cluster_reference, value
from tests.storage.stores import Lab, mutant, subject

ALPHA, BETA = subject("alpha"), subject("beta")


def pick(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def subjects(lab: Lab) -> None:
    lab.subject(ALPHA, [mutant(ALPHA, "bug", planted=True), mutant(ALPHA, "a2")])
    lab.subject(BETA, [mutant(BETA, "bug", planted=True)])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("assert 3 == 4 [test_a.py:12]", "assert 3 == 4 [test_b.py:7]", True),
        ("assert 3 == 4", "assert 3 == 5", False),
        ("assert 3 == 4 + where 3 = m.f(1)", "assert 3 == 4 +  where 3 = f(1)", True),
        ("<A at 0x7f3a> is None", "<A at 0x91ff> is None", True),
        ("DID NOT RAISE ValueError", "DID NOT RAISE TypeError", False),
        ("assert [1:2] == x [t.py:3]", "assert [1:3] == x [t.py:3]", False),
    ],
)
def test_messages_are_the_same_but_for_where_they_are_from(
    one: str, other: str, same: bool
) -> None:
    assert (value("plain_message(?)", one) == value("plain_message(?)", other)) is same


def test_what_several_writers_expect_puts_the_reference_on_trial(lab: Lab) -> None:
    subjects(lab)
    one, two = {"model": "local/one"}, {"model": "local/two"}
    lab.cell(ALPHA, "a", "kw", {"bug": ".F", "a2": ".F"}, raised="assert 1 == 2 [t.py:3]", **one)
    lab.cell(ALPHA, "b", "wwk", {"bug": "FF.", "a2": "..."}, raised="assert 1 == 2 [u.py:9]", **two)
    # The same model twice is one writer; another way to fail and another subject are no agreement.
    lab.cell(ALPHA, "c", "w", {}, raised="assert 5 == 6", status="no_kept_tests", **one)
    lab.cell(ALPHA, "d", "w", {}, raised="assert 5 == 6", status="no_kept_tests", **one)
    lab.cell(BETA, "b", "w", {}, raised="assert 5 == 6", status="no_kept_tests", **two)
    (row,) = lab.ask("suspects")
    names = ("subject", "writers", "who", "tests", "locking", "exception", "message", "arms")
    assert pick([row], *names) == [
        ("alpha", 2, ["local/one", "local/two"], 3, 0, "AssertionError", "assert 1 == 2", 2)
    ]
    assert row["test_id"] == "suite-alpha-a-0:00001"
    assert lab.ask("suspects", writers="3") == []
    assert len(lab.ask("suspects", writers="1")) == 3


def test_writers_who_agree_because_of_the_bug_come_last(lab: Lab) -> None:
    subjects(lab)
    for arm in ("one", "two"):
        lab.cell(BETA, arm, "kw", {"bug": "F."}, raised="assert 'b' == 'c'")
        lab.cell(ALPHA, arm, "kw", {"bug": "FF", "a2": ".F"}, raised="assert 1 == 2")
    rows = lab.ask("suspects")
    assert pick(rows, "subject", "tests", "locking") == [("alpha", 2, 0), ("beta", 2, 2)]


def test_property_tests_are_told_from_others(lab: Lab) -> None:
    subjects(lab)
    # Upper case tests use Hypothesis. Of four examples two lock the bug in, of three properties 1.
    lab.cell(ALPHA, "x", "kwWK", {"bug": "F.FF", "a2": "...."})
    lab.cell(BETA, "x", "wkW", {"bug": "...", "a2": "..."})
    lab.cell(BETA, "y", "Kw", {"a2": ".."})
    rows = lab.ask("property_tests", resamples="100", seed="3", level="0.8")
    names = ("arm", "kind", "tests", "wrong", "locking", "not_run", "locking_share", "suites")
    assert pick(rows, *names) == [
        ("x", "example", 4, 2, 2, 0, 0.5, 2),
        ("x", "property", 3, 2, 1, 0, pytest.approx(1 / 3), 2),
        ("y", "example", 1, 1, 0, 1, None, 1),
        ("y", "property", 1, 0, 0, 0, 0.0, 1),
    ]
    expected = cluster_reference([0, 1], [2, 1], 100, 0.8, 3)
    assert (rows[1]["low"], rows[1]["high"]) == pytest.approx(expected)
    rows = lab.ask("property_tests", per="all")
    assert pick(rows, "arm", "kind", "locking_share") == [
        ("all", "example", 0.5),
        ("all", "property", 0.25),
    ]


def test_bugs_are_locked_in_by_suites_and_by_tests(lab: Lab) -> None:
    subjects(lab)
    shown = {"model": "local/one", "condition": "code_shown"}
    lab.cell(ALPHA, "x", "kww", {"bug": "F..", "a2": "..."}, **shown)
    lab.cell(BETA, "x", "kw", {"bug": "FF"}, **shown)
    lab.cell(BETA, "x", "ww", {}, status="no_kept_tests", replicate=1, **shown)
    lab.cell(BETA, "y", "k", {"bug": "F"}, model="local/one", condition="spec_only")
    rows = lab.ask("bug_locking")
    names = ("arm", "suites", "locking_suites", "suites_untold", "suite_share", "locking", "share")
    assert pick(rows, *names) == [
        ("x", 3, 1, 1, 0.5, 2, pytest.approx(2 / 3)),
        ("y", 1, 0, 0, 0.0, 0, None),
    ]
    assert pick(rows, "writer", "condition") == [
        ("local/one", "code_shown"),
        ("local/one", "spec_only"),
    ]
    (row,) = lab.ask("bug_locking", per="writer")
    assert pick([row], "arm", "suites", "condition", "locking") == [("local/one", 4, "", 2)]
    rows = lab.ask("bug_locking", per="condition")
    assert pick(rows, "arm", "tests") == [("code_shown", 7), ("spec_only", 1)]
