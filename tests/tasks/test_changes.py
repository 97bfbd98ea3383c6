"""Diffs apply, and places are those of the first changed token."""

import subprocess
from pathlib import Path

from tests.tasks.mutant_helpers import SOURCE, edit_set, mutmut_set, subject


def test_every_diff_turns_the_original_into_the_mutant(tmp_path: Path) -> None:
    text = SOURCE.replace("\n", "\r\n").rstrip()
    made = mutmut_set(subject(text), tmp_path).mutants
    made += edit_set(subject(text), tmp_path, [{"old": '"""A module."""\n', "new": ""}]).mutants
    for mutant in made[:6] + made[-4:]:
        tree = tmp_path / mutant.mutant_id
        (tree / "pkg").mkdir(parents=True)
        (tree / mutant.path).write_bytes(text.encode())
        command = ["git", "apply", "--whitespace=nowarn", "-"]
        subprocess.run(command, cwd=tree, input=mutant.diff.encode(), check=True)
        assert (tree / mutant.path).read_bytes() == mutant.source


def test_line_and_column_are_those_of_the_first_changed_token(tmp_path: Path) -> None:
    rows = [
        {"old": "a > b", "new": "a >= b"},
        {"old": "LIMIT = 3", "new": "LIMIT = 33"},
        {"old": "x is None", "new": "x is not None"},
        {"old": "class Box", "new": "y = 1\nclass Box"},
    ]
    made = edit_set(subject(SOURCE), tmp_path, rows).mutants
    assert [(m.line, m.column) for m in made] == [(8, 10), (4, 9), (28, 21), (13, 1)]
