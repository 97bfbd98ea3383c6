from solution import truncate


def test_short_text_is_kept():
    assert truncate("hello", 10) == "hello"


def test_long_text_is_cut():
    assert truncate("hello world", 9) == "hello wo…"


def test_own_ellipsis():
    assert truncate("abcdefghij", 6, "...") == "abc..."
