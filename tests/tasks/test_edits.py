"""Edits: replacements of a text that occurs exactly once, with every mistake in its place."""

import json
from pathlib import Path

import pytest

from configs.errors import ConfigError
from tasks.edits import edit_drafts
from tests.tasks.mutant_helpers import by_name, config, edit_set, subject, subject_of

SOURCE = "def f(a):\n    if a > 1:\n        return a\n    return 1\n"


def test_an_edit_is_the_whole_file_with_one_change(tmp_path: Path) -> None:
    rows = [
        {"id": "ge", "file": "pkg/mod.py", "old": "a > 1", "new": "a >= 1"},
        {"id": "two", "old": "return 1", "new": "return 2", "category": "off", "operator": "num"},
    ]
    made = by_name(edit_set(subject(SOURCE), tmp_path, rows))
    assert list(made) == ["ge", "two"]
    assert made["ge"].source == SOURCE.replace("a > 1", "a >= 1").encode()
    assert (made["ge"].engine, made["ge"].operator, made["ge"].category) == ("edits", "edit", "")
    assert (made["two"].operator, made["two"].category) == ("num", "off")
    assert (made["two"].line, made["two"].column) == (4, 12)


def test_all_mistakes_come_together_each_with_its_line(tmp_path: Path) -> None:
    lines = [
        '{"id": "a", "old": "return", "new": "x"}',
        '{"id": "b", "old": "no such", "new": "x"}',
        "",
        '{"id": "c", "old": "a > 1"}',
        "{nonsense",
        '{"id": "d", "old": "a > 1", "new": "a", "colour": "red"}',
        '{"id": "e", "file": "other.py", "old": "a > 1", "new": "a"}',
        '{"id": "a", "old": "a > 1", "new": "a"}',
        '{"id": "f", "old": "", "new": "a"}',
        '{"id": "g", "old": 3, "new": "a"}',
        "[1]",
    ]
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(ConfigError) as caught:
        edit_drafts(subject(SOURCE), config("edits", file="bad.jsonl"), tmp_path, tmp_path)
    problems = sorted(caught.value.problems, key=lambda line: int(line.split(":")[1]))
    assert [line.removeprefix(f"{path}:") for line in problems] == [
        "1: edit 'a': pkg/mod.py: old occurs 2 times, not once",
        "2: edit 'b': pkg/mod.py: old occurs 0 times, not once",
        "4: key 'new' is missing",
        "5: not JSON: Expecting property name enclosed in double quotes at column 2",
        "6: unknown key 'colour'",
        "7: file 'other.py' is no target of subject demo; it has pkg/mod.py",
        f"8: id 'a' is used before, at {path}:1",
        "9: edit 'f': pkg/mod.py: old is empty",
        "10: old is not a str",
        "11: not an object",
    ]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.jsonl: no such file"):
        edit_drafts(subject(SOURCE), config("edits", file="gone.jsonl"), tmp_path, tmp_path)


def test_overlapping_occurrences_leave_no_choice(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="occurs 2 times"):
        edit_set(subject("x = 'aaa'\n"), tmp_path, [{"old": "aa", "new": "b"}])


def test_rows_of_other_subjects_are_left_to_them(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "subject": "other", "file": "elsewhere.py", "old": "zzz", "new": "y"},
        {"id": "1", "subject": "demo", "old": "return 1", "new": "return 2"},
    ]
    assert [m.name for m in edit_set(subject(SOURCE), tmp_path, rows).mutants] == ["1"]


def test_a_subject_with_several_targets_needs_the_file(tmp_path: Path) -> None:
    both = subject_of({"a.py": "x = 1\n", "b.py": "x = 1\n"})
    with pytest.raises(
        ConfigError, match=r"file '' is no target of subject demo; it has a\.py, b\.py"
    ):
        edit_set(both, tmp_path, [{"old": "1", "new": "2"}])
    made = edit_set(both, tmp_path, [{"file": "b.py", "old": "1", "new": "2"}])
    assert [(m.path, m.source) for m in made.mutants] == [("b.py", b"x = 2\n")]


def test_line_ends_encoding_and_mark_of_the_file_are_kept(tmp_path: Path) -> None:
    latin = "# coding: latin-1\r\ndef f():\r\n    é = 'é'\r\n    return é\r\n".encode("latin-1")
    edit = {"old": "'é'\n    return é", "new": "'ü'\n\n    return é"}
    (made,) = edit_set(subject(latin), tmp_path, [edit]).mutants
    assert made.source == latin.replace(b"'\xe9'\r\n", b"'\xfc'\r\n\r\n")
    marked = b"\xef\xbb\xbfx = 1\n"
    (made,) = edit_set(subject(marked), tmp_path, [{"old": "1", "new": "2"}]).mutants
    assert made.source == b"\xef\xbb\xbfx = 2\n"


def test_text_the_encoding_lacks_is_a_mistake(tmp_path: Path) -> None:
    latin = b"# coding: latin-1\nx = '\xe9'\n"
    with pytest.raises(ConfigError, match="new holds '€', which iso-8859-1 lacks"):
        edit_set(subject(latin), tmp_path, [{"old": "'é'", "new": "'a€'"}])


def test_ids_in_the_file_may_be_any_text(tmp_path: Path) -> None:
    row = {"id": "日本 #1/α", "old": "return 1", "new": "return 2"}
    (made,) = edit_set(subject(SOURCE), tmp_path, [row]).mutants
    assert made.name == "日本 #1/α"
    assert json.dumps(made.mutant_id).strip('"').startswith("m-")
