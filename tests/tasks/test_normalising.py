"""What is done to a generated suite, and that nothing else is."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.normalising import normalise

WHOLE = "import pytest\n\n\ndef test_a():\n    assert 1\n"


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        WHOLE.rstrip(),
        "",
        "# only a comment\n",
        "def test_a(:\n",
        "if 1:\n\tdef test_a():\n\t\tpass\n",
        "x = 'pytest.raises'\n",
        "\x0cimport pytest\npytest.x\n",
    ],
)
def test_a_closed_text_stays_as_it_is(text: str) -> None:
    assert normalise(text) == normalise(text, 5) == normalise(text, None, closed=True)
    assert (normalise(text).source, normalise(text).flags) == (text, ())


def test_line_ends_and_byte_order_mark_are_brought_to_one_form() -> None:
    text = "\ufeff" + WHOLE.replace("\n", "\r\n")
    assert normalise(text).source == normalise(WHOLE.replace("\n", "\r")).source == WHOLE


@pytest.mark.parametrize(
    "tail",
    [
        "def test_b():",
        "def test_b(",
        "@pytest.mark.parametrize('x', [\n    (1, 2),\n    (3,",
        "@pytest.mark.skip\n",
        'x = """begun\n\nand never\nended',
        "x = 'begun",
        "x = f'{a",
        "try:\n    x = 1\n",
        "class TestX:\n",
        "x = 1 + \\\n",
        "These tests cover the happy path.\n\nAnd more prose, with 'quotes.",
        "\n# a comment\ndef test_b(\n  # another\n",
    ],
)
def test_an_unclosed_text_is_cut_back_to_what_parses(tail: str) -> None:
    found = normalise(WHOLE + tail, closed=False)
    assert found.source is not None
    assert found.source.rstrip().startswith(WHOLE.rstrip())
    assert [type(node).__name__ for node in ast.parse(found.source).body] == [
        "Import",
        "FunctionDef",
    ]
    assert found.flags == ("cut_back",)


def test_statements_before_the_cut_are_kept_within_a_function_too() -> None:
    found = normalise(f"{WHOLE}\ndef test_b():\n    x = 1\n    assert x == (", closed=False)
    assert found.source == f"{WHOLE}\ndef test_b():\n    x = 1\n"


def test_an_unclosed_text_that_parses_is_not_cut() -> None:
    assert normalise(WHOLE, closed=False) == normalise(WHOLE)


@pytest.mark.parametrize("text", ["", "\n", "def test_a(", "# only a comment\n", '"""never ended'])
def test_nothing_left_before_the_cut_is_no_suite(text: str) -> None:
    found = normalise(text, closed=False)
    assert (found.source, found.flags) == (None, ("cut_back",))
    assert found.reason == "cut off before its first statement ends"


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("", "from solution import f\n\npytest.raises(E)\n"),
        ('"""Doc."""\n', "x = pytest.raises\n"),
        ('"""Doc."""\nfrom __future__ import annotations\n\n', "x = pytest.raises\n"),
        ("# coding: utf-8\n\n# about\n", "@pytest.fixture\ndef f():\n    pass\n"),
        ('#!/usr/bin/python\n"""\nDoc.\n"""\n# c\n', "class A:\n    x = pytest.mark\n"),
    ],
)
def test_a_missing_import_is_added_above_what_needs_it(above: str, below: str) -> None:
    found = normalise(above + below)
    assert found.source == f"{above}import pytest\n{below}"
    assert found.flags == ("added_import_pytest",)


def test_an_import_next_to_a_statement_of_the_same_line_is_still_a_file() -> None:
    found = normalise('"""Doc."""; x = 1\n\nimport os; y = pytest.x')
    assert found.source == '"""Doc."""; x = 1\n\nimport pytest\nimport os; y = pytest.x'


@pytest.mark.parametrize(
    "text",
    [
        "import pytest\npytest.x\n",
        "import pytest.mark\npytest.x\n",
        "import other as pytest\npytest.x\n",
        "from x import pytest\npytest.x\n",
        "pytest = 1\npytest.x\n",
        "def f(pytest):\n    pytest.x\n",
        "class pytest:\n    pass\npytest.x\n",
        "def test_a():\n    import pytest\n    pytest.x\n",
        "pytest\n",
        "solution.pytest.x\n",
    ],
)
def test_a_name_that_is_bound_or_no_module_gets_no_import(text: str) -> None:
    assert normalise(text) == normalise(text, closed=False)
    assert normalise(text).flags == ()


SUITE = '''\
import pytest


@pytest.fixture
def test_data():
    return 1


@pytest.mark.parametrize(
    "x",
    [1, 2],
)
def test_a(x):
    assert x


class TestB(Base):
    """Two."""

    def helper(self):
        def test_inner(): ...

    def test_b(self):
        pass

    async def test_c(self): pass

    class TestInner:
        def test_d(self):
            pass


class Helper:
    def test_of_no_test_class(self):
        pass


if True:
    def test_e():
        pass
else:
    x = 1


def test_a(x):
    """Replaces the one above."""


class Cases(unittest.TestCase):
    def testF(self):
        pass
'''


@pytest.mark.parametrize("cap", [1, 2, 3, 4, 5, 6])
def test_the_first_functions_are_kept_and_the_others_counted(cap: int) -> None:
    names = ["test_a", "test_b", "test_c", "test_d", "test_e", "testF"]
    found = normalise(SUITE, cap)
    assert found.source is not None
    tree = ast.parse(found.source)
    left = {node.name for node in ast.walk(tree) if hasattr(node, "name")}
    assert {name for name in names if name in left} == set(names[:cap])
    assert {"test_data", "helper", "test_inner", "Helper", "test_of_no_test_class"} <= left
    assert found.flags == ((f"capped:{6 - cap}",) if cap < 6 else ())


def test_a_block_left_empty_gets_a_pass_and_all_else_stays() -> None:
    text = "def test_a(): ...\nclass TestB:\n  @x\n  def test_b(self): ...\nx = 1"
    found = normalise(text, 1)
    assert found.source == "def test_a(): ...\nclass TestB:\n  pass\nx = 1"


def test_an_import_that_only_capped_tests_need_is_not_added() -> None:
    found = normalise("def test_a(): ...\n\ndef test_b():\n    pytest.fail()\n", 1)
    assert found.flags == ("capped:1",)


def test_a_long_elif_chain_is_walked_without_recursion() -> None:
    chain = "if a: pass\n" + "elif a: pass\n" * 900
    found = normalise(chain + "def test_a(): ...\ndef test_b(): ...\n", 1)
    assert found.flags == ("capped:1",) or found.source is None


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize(
    "text", ["-" * 100_000 + "1", "a" + ".b" * 100_000, "1" + "+1" * 100_000, "not " * 50_000]
)
def test_code_nested_too_deeply_is_no_suite_and_no_crash(text: str, closed: bool) -> None:
    found = normalise(text, 3, closed=closed)
    assert found.source is None
    assert "too deeply" in found.reason


@pytest.mark.parametrize("text", ["x = '\0'", "x = '\ud800'", "(" * 1000, "@a\n" * 5000])
def test_what_python_refuses_stays_the_writers(text: str) -> None:
    assert normalise(text, 3).source == text
    assert normalise(text, 3, closed=False).source is None


LINES = st.sampled_from(
    [
        "import pytest",
        '"""doc"""',
        "from __future__ import annotations",
        "def test_a():",
        "    def test_b(self):",
        "    assert pytest.x",
        "        pass",
        "class TestA:",
        "@pytest.mark.x",
        "if x:",
        "else:",
        "    pass",
        "x = (1,",
        ")",
        '"""',
        "def test_c(): pass; x = 1",
        "",
        "# c",
        "\tx",
        "x = 1; y = 2",
    ]
)


@given(st.lists(LINES, max_size=14), st.integers(1, 3), st.booleans())
def test_normalising_again_changes_nothing(lines: list[str], cap: int, closed: bool) -> None:
    once = normalise("\n".join(lines), cap, closed=closed)
    if once.source is None:
        assert not closed
        return
    again = normalise(once.source, cap)
    assert (again.source, again.flags) == (once.source, ())
    if closed and not once.flags:
        assert once.source == "\n".join(lines)
    if once.flags:
        ast.parse(once.source)
