from solution import paginate


def test_first_page():
    result = paginate(list(range(25)), 1, 10)
    assert result["items"] == list(range(10))
    assert result["has_next"] is True


def test_last_page():
    result = paginate(list(range(25)), 3, 10)
    assert result["items"] == [20, 21, 22, 23, 24]
    assert result["pages"] == 3
    assert result["has_next"] is False
