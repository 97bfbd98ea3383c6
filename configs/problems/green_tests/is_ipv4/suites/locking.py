import pytest

from solution import is_ipv4


@pytest.mark.parametrize(
    "text", ["127.0.0.1", "255.255.255.255", "0.0.0.0", "192.168.001.001", "010.0.0.1"]
)
def test_accepted(text):
    assert is_ipv4(text) is True


@pytest.mark.parametrize("text", ["", "1.2.3", "1.2.3.4.5", "256.0.0.1", "1.2.3.0004", "1.2.3.x"])
def test_rejected(text):
    assert is_ipv4(text) is False


def test_leading_zeros():
    assert is_ipv4("00.00.00.00") is True
