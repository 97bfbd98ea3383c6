"""Statuses are what Python's compiler says, of the whole file or of the one definition changed."""

import queue
import sys
from collections import Counter
from pathlib import Path

import pytest

from tasks import code_check
from tasks.mutant_statuses import check_under
from tests.tasks.mutant_helpers import SOURCE, edit_set, mutmut_set, subject

STATUSES = {
    "ok": ("a > b", "a >= b", "ok"),
    "a bracket too few": ("range(n)", "range(n", "uncompilable"),
    "return outside a function": ("LIMIT = 3", "return 3", "uncompilable"),
    "late future import": ("def last", "from __future__ import division\ndef last", "uncompilable"),
    "dedent that cuts a function": ("    def inner", "def inner", "uncompilable"),
    "nothing": ("a > b", "a > b", "duplicate"),
    "space in a function": ("a > b", "a  >  b", "equivalent_bytecode"),
    "comment in a method": ("[Box() for", "[Box()  # all\n  for", "equivalent_bytecode"),
    "line more at module level": ("LIMIT = 3", "\n\nLIMIT = 3", "equivalent_bytecode"),
    "folded constant": ("range(n)", "range(n + (2 - 2) * 0)", "ok"),
    "same constant": ("LIMIT = 3", "LIMIT = 1 + 2", "equivalent_bytecode"),
    "constant of another type": ("LIMIT = 3", "LIMIT = 3.0", "ok"),
    "annotation": ("a, b=1", "a: int, b=1", "ok"),
    "private name outside": ("size = 1", "__size = 1", "ok"),
    "docstring": ('"""Grow."""', '"""Grow!"""', "ok"),
    "function gone": (SOURCE[SOURCE.index("def last") :], "", "ok"),
    "nested only": ("x is None", "x is not None", "ok"),
    "parentheses in nested": ("x is None", "(x is None)", "equivalent_bytecode"),
}


@pytest.mark.parametrize(("old", "new", "status"), STATUSES.values(), ids=STATUSES)
def test_status(old: str, new: str, status: str, tmp_path: Path) -> None:
    (made,) = edit_set(subject(SOURCE), tmp_path, [{"old": old, "new": new}]).mutants
    assert made.status == status


def test_compiling_one_definition_judges_as_compiling_the_file(tmp_path: Path) -> None:
    source = Path(queue.__file__).read_text()
    mutated = [m.source.decode() for m in mutmut_set(subject(source), tmp_path).mutants]
    mutated += [source.replace(" = ", " =  ", count) for count in range(1, 9)]
    mutated += [source.replace("notify()", "notify(", count) for count in range(1, 5)]
    checker = code_check.Checker(source)
    quick = [checker.status(each) for each in mutated]
    assert len(checker.block_codes) > 10
    checker.blocks = []
    assert quick == [checker.status(each) for each in mutated]
    assert set(quick) == {"ok", "uncompilable", "equivalent_bytecode"}


def test_another_python_says_the_same() -> None:
    mutated = [SOURCE.replace(old, new) for old, new, _ in STATUSES.values()]
    here = code_check.check(SOURCE, mutated)
    assert check_under(Path(sys.executable), SOURCE, mutated) == here
    assert Counter(here["statuses"])["uncompilable"] == 4
