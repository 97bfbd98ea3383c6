from __future__ import annotations

import ast

from tasks.sandbox.functions import imported_names, target_functions

SOURCE = b"""\
import a.b, c as d
from e import f, g as h
from i import *
@property
@staticmethod
def plain():
    def inner(): pass
    import local
    class Local:
        def method(self): pass
class A(base(lambda: 1)):
    import in_class
    def m(self): return 1
    class B:
        async def n(self):
            pass
if a:
    def one(): pass
elif b:
    def two(): pass
else:
    for x in y:
        with z:
            def three(): pass
try:
    import tried
except E:
    def four(): pass
finally:
    match q:
        case 1:
            def five(): pass
"""


def test_outermost_functions_are_found_wherever_they_are() -> None:
    found = {f.qualname: (f.firstlineno, f.lineno_end) for f in target_functions(SOURCE)}
    assert found == {
        "plain": (4, 10),
        "A.m": (13, 13),
        "A.B.n": (15, 16),
        "one": (18, 18),
        "two": (20, 20),
        "three": (24, 24),
        "four": (28, 28),
        "five": (32, 32),
    }


def test_imported_names_are_those_of_the_module_alone() -> None:
    assert imported_names(ast.parse(SOURCE)) == {"a", "d", "f", "h", "tried"}


def test_a_source_that_does_not_parse_has_no_functions() -> None:
    assert target_functions(b"def f(:") == ()
    assert target_functions(b"x = 1\0") == ()
