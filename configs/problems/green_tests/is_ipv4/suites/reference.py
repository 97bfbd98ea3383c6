import pytest

from solution import is_ipv4


@pytest.mark.parametrize(
    "text",
    [
        "0.0.0.0",
        "1.2.3.4",
        "9.10.99.100",
        "127.0.0.1",
        "192.168.0.1",
        "199.200.249.250",
        "255.255.255.255",
        "10.0.0.0",
        "100.1.20.200",
    ],
)
def test_addresses(text):
    assert is_ipv4(text) is True


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize(
    "number", ["256", "260", "300", "999", "1000", "00", "01", "001", "010", "0255"]
)
def test_numbers_out_of_form(place, number):
    numbers = ["1", "2", "3", "4"]
    numbers[place] = number
    assert is_ipv4(".".join(numbers)) is False


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "...",
        "1",
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.",
        ".1.2.3",
        "1..2.3",
        "1.2.3.4.",
        "1,2,3,4",
        "1.2.3:4",
    ],
)
def test_wrong_number_of_parts(text):
    assert is_ipv4(text) is False


@pytest.mark.parametrize(
    "text",
    [
        " 1.2.3.4",
        "1.2.3.4 ",
        "1.2.3.4\n",
        "1.2. 3.4",
        "1.2.3.4\x00",
        "+1.2.3.4",
        "-1.2.3.4",
        "1.2.3.4:80",
        "1.2.3.4/24",
        "0x1.2.3.4",
        "1e1.2.3.4",
        "1_0.2.3.4",
        "a.b.c.d",
        "::1",
    ],
)
def test_anything_around_or_between(text):
    assert is_ipv4(text) is False


@pytest.mark.parametrize(
    "text", ["١.٢.٣.٤", "1.2.3.٤", "1.2.3.²", "1.2.3.４", "1.2.3.①", "1。2。3。4", "1.2.3.\ud800"]
)
def test_other_scripts(text):
    assert is_ipv4(text) is False


@pytest.mark.parametrize("digits", [4, 10, 5000])
def test_long_numbers(digits):
    assert is_ipv4("1.2.3." + "1" * digits) is False
    assert is_ipv4("0" * digits + ".2.3.4") is False


def test_many_parts():
    assert is_ipv4(".".join("1" * 100_000)) is False


@pytest.mark.parametrize("text", [None, 1, b"1.2.3.4", ["1", "2", "3", "4"]])
def test_only_text(text):
    with pytest.raises(TypeError, match="^text"):
        is_ipv4(text)
