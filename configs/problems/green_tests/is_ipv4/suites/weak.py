from solution import is_ipv4


def test_valid():
    assert is_ipv4("192.168.0.1")
    assert is_ipv4("10.20.30.40")


def test_too_few_parts():
    assert not is_ipv4("192.168.0")


def test_letters():
    assert not is_ipv4("a.b.c.d")


def test_number_too_large():
    assert not is_ipv4("192.168.0.300")
