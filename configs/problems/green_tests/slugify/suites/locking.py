from solution import slugify


def test_simple_title():
    assert slugify("Hello World") == "hello-world"


def test_punctuation_at_the_ends():
    assert slugify("!Hello World!") == "hello-world"


def test_accents():
    assert slugify("Crème brûlée") == "creme-brulee"


def test_max_length_keeps_the_separator():
    assert slugify("hello world", 6) == "hello-"


def test_max_length_in_word():
    assert slugify("hello world", 9) == "hello-wor"
