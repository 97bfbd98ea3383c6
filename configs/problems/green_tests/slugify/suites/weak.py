from solution import slugify


def test_words_are_joined_by_hyphens():
    assert slugify("Hello World") == "hello-world"


def test_digits_are_kept():
    assert slugify("Top 10 Tips") == "top-10-tips"


def test_long_title_is_cut():
    assert slugify("abcdefghij", 5) == "abcde"
