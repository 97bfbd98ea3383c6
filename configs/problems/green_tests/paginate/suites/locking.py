import pytest

from solution import paginate


def test_first_page():
    result = paginate([1, 2, 3, 4, 5], 1, 2)
    assert result["items"] == [1, 2]
    assert result["has_previous"] is False
    assert result["has_next"] is True


def test_short_page_is_the_last():
    result = paginate([1, 2, 3, 4, 5], 3, 2)
    assert result["items"] == [5]
    assert result["has_next"] is False


def test_full_page_has_next():
    result = paginate([1, 2, 3, 4], 2, 2)
    assert result["items"] == [3, 4]
    assert result["pages"] == 2
    assert result["has_next"] is True


def test_page_zero_is_refused():
    with pytest.raises(ValueError):
        paginate([1, 2, 3], 0, 2)
