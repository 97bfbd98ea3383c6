from solution import find_first


def test_present():
    assert find_first([1, 3, 5, 7, 9], 7) == 3


def test_first_item():
    assert find_first([1, 3, 5, 7, 9], 1) == 0


def test_absent():
    assert find_first([1, 3, 5, 7, 9], 4) == -1
