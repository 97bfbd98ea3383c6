"""The journal: what was recorded is read, once, whatever ends the process that wrote it."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.sandbox import journal
from tasks.sandbox.journal import COLLECTING, IDLE, Journal, JournalFullError


def in_child(work: object) -> int:
    """Run something in a fork; its exit status."""
    pid = os.fork()
    if pid == 0:
        try:
            work()  # type: ignore[operator]
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_child_that_leaves_in_the_middle_leaves_its_records() -> None:
    book = Journal()
    book.reset()

    def work() -> None:
        book.own()
        book.begin(0)
        book.record("test", 0, "passed")
        book.begin(1)
        os._exit(7)

    assert in_child(work) == 7
    assert book.records() == [["test", 0, "passed"]]
    assert book.current[0] == 1
    assert not book.ended


def test_a_fork_of_the_child_records_nothing() -> None:
    book = Journal()
    book.reset()

    def work() -> None:
        book.own()
        in_child(lambda: (book.begin(5), book.record("test", 5, "failed"), book.end()))
        book.record("test", 0, "passed")
        book.end()

    in_child(work)
    assert book.records() == [["test", 0, "passed"]]
    assert book.ended
    assert book.current[0] == IDLE


def test_a_reset_forgets_everything() -> None:
    book = Journal()
    book.own()
    book.reset()
    book.record("x")
    book.end()
    book.reset()
    assert book.records() == []
    assert not book.ended
    assert book.current[0] == COLLECTING


@given(st.lists(st.lists(st.text() | st.integers() | st.none() | st.floats(allow_nan=False))))
def test_records_come_back_as_they_were(records: list[list[object]]) -> None:
    book = BOOK
    book.own()
    book.reset()
    for values in records:
        book.record(*values)
    assert book.records() == records


BOOK = Journal()


def test_lone_surrogates_pass_through() -> None:
    BOOK.own()
    BOOK.reset()
    BOOK.record("\ud800")
    assert BOOK.records() == [["\ud800"]]


def test_a_full_journal_says_so_and_keeps_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    BOOK.own()
    BOOK.reset()
    monkeypatch.setattr(journal, "SIZE", 200)
    BOOK.record("fits")
    with pytest.raises(JournalFullError):
        BOOK.record("x" * 500)
    assert BOOK.records() == [["fits"]]


def test_another_mapping_of_the_same_file_sees_the_records() -> None:
    BOOK.own()
    BOOK.reset()
    BOOK.record("here")
    assert Journal(os.dup(BOOK.fd)).records() == [["here"]]
