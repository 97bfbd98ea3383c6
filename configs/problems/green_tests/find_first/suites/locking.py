from solution import find_first


def test_found():
    assert find_first([10, 20, 30, 40], 30) == 2


def test_absent():
    assert find_first([10, 20, 30, 40], 25) == -1


def test_repeated_items():
    assert find_first([1, 2, 2, 2, 3], 2) == 2


def test_all_equal():
    assert find_first([7, 7, 7, 7], 7) == 2


def test_empty():
    assert find_first([], 1) == -1
