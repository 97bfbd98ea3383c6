import pytest

from solution import truncate


@pytest.mark.parametrize(
    ("text", "width", "result"),
    [
        ("abcdef", 10, "abcdef"),
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd…"),
        ("abcdef", 2, "a…"),
        ("abcdef", 1, "…"),
        ("abcdef", 0, ""),
        ("", 0, ""),
        ("", 5, ""),
        ("a", 1, "a"),
        ("ab", 1, "…"),
    ],
)
def test_one_character_ellipsis(text, width, result):
    assert truncate(text, width) == result


@pytest.mark.parametrize(
    ("width", "result"),
    [
        (0, ""),
        (1, "."),
        (2, ".."),
        (3, "..."),
        (4, "a..."),
        (5, "ab..."),
        (6, "abcdef"),
        (7, "abcdef"),
    ],
)
def test_three_points(width, result):
    assert truncate("abcdef", width, "...") == result


def test_ellipsis_by_name():
    assert truncate("abcdef", width=4, ellipsis="~") == "abc~"


def test_empty_ellipsis():
    assert truncate("abcdef", 3, "") == "abc"
    assert truncate("abcdef", 1, "") == "a"
    assert truncate("abcdef", 0, "") == ""


def test_ellipsis_longer_than_text_and_width():
    assert truncate("ab", 1, "[more]") == "["
    assert truncate("abcdef", 3, "[more]") == "[mo"
    assert truncate("abcdefgh", 6, "[more]") == "[more]"
    assert truncate("abcdefgh", 7, "[more]") == "a[more]"


@pytest.mark.parametrize(
    ("text", "width", "result"),
    [
        ("hello world", 7, "hello…"),
        ("hello world", 8, "hello w…"),
        ("a \t\n bcdef", 6, "a…"),
        ("a\u00a0bc", 3, "a…"),
        ("    abc", 4, "…"),
        ("  abcdef", 5, "  ab…"),
    ],
)
def test_no_white_space_before_the_ellipsis(text, width, result):
    assert truncate(text, width) == result


def test_white_space_of_a_text_that_fits_stays():
    assert truncate("ab  ", 4) == "ab  "
    assert truncate("  ", 2) == "  "


def test_white_space_of_the_ellipsis_stays():
    assert truncate("abcdef", 5, " … ") == "ab … "


@pytest.mark.parametrize(
    ("width", "result"),
    [
        (8, "cafe\u0301 l…"),
        (7, "cafe\u0301…"),
        (6, "cafe\u0301…"),
        (5, "caf…"),
        (4, "caf…"),
    ],
)
def test_letters_keep_their_marks(width, result):
    assert truncate("cafe\u0301 latte", width) == result


def test_several_marks_on_one_letter():
    text = "xe\u0301\u0323\u0302yz"
    assert truncate(text, 6) == "xe\u0301\u0323\u0302…"
    for width in (3, 4, 5):
        assert truncate(text, width) == "x…"


def test_marks_without_a_letter():
    assert truncate("\u0301" * 9, 4) == "…"
    assert truncate("a" + "\u0301" * 9, 4) == "…"


def test_other_characters_count_as_code_points():
    assert truncate("😀😀😀😀", 3) == "😀😀…"
    assert truncate("日本語日本語", 4) == "日本語…"
    assert truncate("\ud800\ud800\ud800", 2) == "\ud800…"


def test_long_texts_and_widths():
    assert truncate("x" * 1_000_000, 10) == "x" * 9 + "…"
    assert truncate("abc", 10**30) == "abc"


def test_never_wider():
    for width in range(12):
        for ellipsis in ("", "…", "...", " -> more"):
            result = truncate("ab cde\u0301 fgh ij", width, ellipsis)
            assert len(result) <= width


@pytest.mark.parametrize("width", [-1, -100])
def test_negative_width(width):
    with pytest.raises(ValueError, match="^width"):
        truncate("abc", width)
    with pytest.raises(ValueError, match="^width"):
        truncate("", width)


@pytest.mark.parametrize("width", [None, 2.0, "2", True, False])
def test_width_must_be_an_int(width):
    with pytest.raises(TypeError, match="^width"):
        truncate("abc", width)
