"""Which text of a reply is the suite, for every shape in which models give one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.extraction import extract

SUITE = "from solution import f\n\n\ndef test_f():\n    assert f() == 1\n"
OTHER = "from solution import f\n\n\ndef test_g():\n    assert f() == 2\n"


def fence(text: str, info: str = "python", mark: str = "```") -> str:
    return f"{mark}{info}\n{text}{mark}\n"


def indented(text: str, by: str) -> str:
    return "".join(by + line for line in text.splitlines(keepends=True))


@pytest.mark.parametrize(
    "reply",
    [
        fence(SUITE),
        fence(SUITE, ""),
        fence(SUITE, "Python"),
        fence(SUITE, "py title=test_f.py"),
        fence(SUITE, "{.python .numberLines}"),
        fence(SUITE, "python:test_f.py"),
        fence(SUITE, "python", "~~~"),
        fence(SUITE, " python", "``````"),
        f"Here it is.\n{fence(SUITE)}It tests f.",
        f"Tests:\n\n1. The file\n\n{indented(fence(SUITE), '   ')}\n2. Done",
        f"- The file\n{indented(fence(SUITE), '  ')}- Done",
        indented(fence(SUITE), "   "),
        indented(fence(SUITE), "> "),
        f"<think>\nLet me see.\n</think>\n{fence(SUITE)}",
        f"<answer>\n{fence(SUITE)}</answer>",
        fence(SUITE).replace("\n", "\r\n"),
    ],
)
def test_one_fence_is_the_suite_wherever_it_stands(reply: str) -> None:
    found = extract(reply)
    assert (found.source, found.rule, found.closed, found.blocks) == (SUITE, "only_block", True, 1)
    assert found.flags == ()


@pytest.mark.parametrize("tail", ["", "def test_more():\n    assert f(", "\n\n"])
def test_an_unclosed_fence_is_told(tail: str) -> None:
    found = extract(f"Here:\n```python\n{SUITE}{tail}")
    assert (found.source, found.rule, found.closed) == (SUITE + tail, "only_block", False)
    assert found.flags == ("unclosed_fence",)


def test_an_unclosed_fence_in_a_list_ends_with_the_list() -> None:
    found = extract(f"- file\n{indented('```python' + chr(10) + SUITE, '  ')}\nThat is all.")
    assert (found.source, found.closed) == (SUITE + "\n", False)


def test_a_fence_of_another_kind_or_a_shorter_one_closes_nothing() -> None:
    text = f'"""\n~~~\n```\n"""\n{SUITE}'
    found = extract(fence(text, mark="````"))
    assert (found.source, found.closed, found.blocks) == (text, True, 1)


@pytest.mark.parametrize(
    ("reply", "source", "rule", "several"),
    [
        (fence("pytest -q\n", "bash") + fence(SUITE), SUITE, "only_suite", False),
        (fence(SUITE) + fence("pytest -q\n", "bash"), SUITE, "only_suite", False),
        (fence(SUITE) + fence("pytest -q\n", ""), SUITE, "only_suite", False),
        (fence("def f():\n    return 1\n") + fence(SUITE), SUITE, "only_suite", False),
        (fence(SUITE, "text") + fence("ls\n", "bash"), SUITE, "only_suite", False),
        # A draft and its second thought; a snippet after the file; parts of one file.
        (fence(SUITE) + "Better:\n" + fence(OTHER), OTHER, "last_suite", True),
        (fence(SUITE) + "Or:\n" + fence("def test_h(): pass\n"), SUITE, "last_suite", True),
        (
            fence("def test_h(): pass\n") + fence("def test_hh():\n    pass\n"),
            "def test_hh():\n    pass\n",
            "longest_suite",
            True,
        ),
        (fence("a = 1\n") + fence("b = 2\n"), "b = 2\n", "last_block", False),
    ],
)
def test_of_several_blocks_one_rule_takes_one(
    reply: str, source: str, rule: str, several: bool
) -> None:
    found = extract(reply)
    assert (found.source, found.rule, found.blocks) == (source, rule, 2)
    assert ("several_suites" in found.flags) is several


def test_a_cut_second_thought_is_the_suite_and_unclosed() -> None:
    found = extract(f"{fence(SUITE)}Better:\n```python\n{OTHER}")
    assert (found.source, found.closed) == (OTHER, False)
    assert found.flags == ("unclosed_fence", "several_suites")


def test_a_closed_suite_before_an_unclosed_other_block_is_flagged_all_the_same() -> None:
    found = extract(f"{fence(SUITE)}Run it:\n```bash\npytest")
    assert (found.source, found.closed, found.flags) == (SUITE, True, ("unclosed_fence",))


@pytest.mark.parametrize(
    "reply", [SUITE, SUITE + 'X = """\n```python\na\n```\n"""\n', "\ufeff" + SUITE]
)
def test_a_reply_that_is_a_python_file_is_bare(reply: str) -> None:
    found = extract(reply)
    assert (found.source, found.rule, found.blocks) == (reply, "bare", 0)


@pytest.mark.parametrize(
    "reply",
    ["", "Sorry", "no", "I cannot do that.", "`def test_f(): pass`", fence("pytest\n", "bash")],
)
def test_prose_is_no_suite(reply: str) -> None:
    found = extract(reply)
    assert (found.source, found.rule) == (None, "none")


def test_tildes_that_parse_as_operators_are_a_fence() -> None:
    found = extract(f"~~~python\n{SUITE}")
    assert (found.source, found.rule, found.closed) == (SUITE, "only_block", False)


@pytest.mark.parametrize(
    "reply",
    [
        "(" * 100_000,
        "-" * 100_000 + "1",
        "a" + ".b" * 100_000,
        ">" * 100_000,
        "- " * 50_000 + "```",
        "```\n" * 20_000,
        "\0" * 1000,
        "\ud800 ```python\n\ud800\n```",
    ],
    ids=lambda reply: repr(reply[:10]),
)
def test_hostile_text_is_read_without_a_crash(reply: str) -> None:
    extract(reply)


@given(st.text(st.characters(exclude_characters="\r")), st.sampled_from("`~"), st.booleans())
def test_any_text_in_a_sufficient_fence_comes_back_exactly(
    text: str, mark: str, prose: bool
) -> None:
    longest = max([2, *map(len, re.findall(f"{mark}+", text))])
    reply = fence(f"{text}\n", "python", mark * (longest + 1))
    found = extract(f"So:\n\n{reply}\nThat is it." if prose else reply)
    assert (found.source, found.rule, found.closed) == (f"{text}\n", "only_block", True)
