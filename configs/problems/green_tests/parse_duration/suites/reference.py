import pytest

from solution import parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1s", 1),
        ("1m", 60),
        ("1h", 3600),
        ("1d", 86400),
        ("45s", 45),
        ("90m", 5400),
        ("48h", 172800),
        ("1h30m", 5400),
        ("1d12h", 129600),
        ("2d3h4m5s", 183845),
        ("1d1s", 86401),
        ("1h1s", 3601),
        ("5m10s", 310),
        ("1d2m", 86520),
    ],
)
def test_durations(text, seconds):
    result = parse_duration(text)
    assert result == seconds
    assert type(result) is int


@pytest.mark.parametrize("text", ["0s", "0m", "0h", "0d", "0d0h0m0s", "000000000s"])
def test_zero_is_a_duration(text):
    assert parse_duration(text) == 0


@pytest.mark.parametrize(
    ("text", "seconds"), [("007s", 7), ("01h05m", 3900), ("000000001d", 86400)]
)
def test_leading_zeros_are_allowed(text, seconds):
    assert parse_duration(text) == seconds


def test_nine_digits_are_the_limit():
    assert parse_duration("999999999s") == 999_999_999
    assert parse_duration("999999999d") == 86_399_999_913_600
    for number in ("1000000000", "0000000001", "1" * 5000):
        with pytest.raises(ValueError, match="^text"):
            parse_duration(number + "s")
        with pytest.raises(ValueError, match="^text"):
            parse_duration("1d" + number + "s")


@pytest.mark.parametrize("text", ["1m1h", "30s1m", "1h1d", "1s1d", "1d1m1h", "1d1s1h", "1m1d"])
def test_units_from_large_to_small(text):
    with pytest.raises(ValueError, match="^text"):
        parse_duration(text)


@pytest.mark.parametrize("text", ["1s1s", "1m2m", "1h1h1m", "1d1d"])
def test_each_unit_once(text):
    with pytest.raises(ValueError, match="^text"):
        parse_duration(text)


@pytest.mark.parametrize(
    "text", ["1h30", "5m!", "1h30m ", "1h\n", "1s.", "2d3", "1hs", "1ms", "0s0"]
)
def test_nothing_may_follow(text):
    with pytest.raises(ValueError, match="^text"):
        parse_duration(text)


@pytest.mark.parametrize(
    "text", [" 1h", "-1h", "+1h", "x1h", "1h 30m", "1h,30m", "1h-30m", "1.5h", "h", "1_0s"]
)
def test_nothing_may_come_before_or_between(text):
    with pytest.raises(ValueError, match="^text"):
        parse_duration(text)


@pytest.mark.parametrize(
    "text", ["", " ", "1", "90", "abc", "1w", "1y", "1H", "1M", "1D", "1S", "1min"]
)
def test_other_forms(text):
    with pytest.raises(ValueError, match="^text"):
        parse_duration(text)


@pytest.mark.parametrize("text", ["٣h", "1h٣m", "²s", "３s", "1ｈ", "1\ud800", "1ſ"])
def test_other_scripts(text):
    with pytest.raises(ValueError, match="^text"):
        parse_duration(text)


@pytest.mark.parametrize("text", [None, 90, 1.5, b"1h", ["1h"]])
def test_only_text(text):
    with pytest.raises(TypeError, match="^text"):
        parse_duration(text)
