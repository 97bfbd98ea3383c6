from solution import chunk


def test_even():
    assert chunk([1, 2, 3, 4], 2) == [[1, 2], [3, 4]]


def test_rest():
    assert chunk([1, 2, 3, 4, 5], 2) == [[1, 2], [3, 4], [5]]


def test_overlap():
    assert chunk([1, 2, 3, 4], 3, 1) == [[1, 2, 3], [3, 4]]
