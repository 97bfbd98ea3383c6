import pytest

from solution import paginate

LETTERS = list("abcdefghij")


def test_first_page_of_several():
    assert paginate(LETTERS, 1, 4) == {
        "items": ["a", "b", "c", "d"],
        "page": 1,
        "pages": 3,
        "has_previous": False,
        "has_next": True,
    }


def test_middle_page_has_neighbours_on_both_sides():
    result = paginate(LETTERS, 2, 4)
    assert result["items"] == ["e", "f", "g", "h"]
    assert result["has_previous"] is True
    assert result["has_next"] is True


def test_last_page_may_be_short():
    result = paginate(LETTERS, 3, 4)
    assert result["items"] == ["i", "j"]
    assert result["page"] == 3
    assert result["has_previous"] is True
    assert result["has_next"] is False


@pytest.mark.parametrize(
    ("length", "size", "pages"),
    [
        (0, 5, 0),
        (1, 5, 1),
        (4, 5, 1),
        (5, 5, 1),
        (6, 5, 2),
        (10, 5, 2),
        (11, 5, 3),
        (3, 1, 3),
        (2, 100, 1),
    ],
)
def test_number_of_pages_is_rounded_up(length, size, pages):
    assert paginate(range(length), 1, size)["pages"] == pages


def test_full_last_page_has_no_next():
    result = paginate(LETTERS, 2, 5)
    assert result["items"] == list("fghij")
    assert result["pages"] == 2
    assert result["has_next"] is False


def test_single_full_page_has_no_neighbours():
    result = paginate(LETTERS, 1, 10)
    assert result["has_previous"] is False
    assert result["has_next"] is False


def test_page_just_beyond_the_end_is_empty_and_has_a_previous_page():
    assert paginate(LETTERS, 4, 4) == {
        "items": [],
        "page": 4,
        "pages": 3,
        "has_previous": True,
        "has_next": False,
    }


def test_page_far_beyond_the_end_has_no_previous_page():
    result = paginate(LETTERS, 5, 4)
    assert result["items"] == []
    assert result["has_previous"] is False
    assert result["has_next"] is False


@pytest.mark.parametrize("page", [1, 2, 10**30])
def test_no_items_means_no_pages(page):
    result = paginate([], page, 10)
    assert result["items"] == []
    assert result["pages"] == 0
    assert result["has_previous"] is False
    assert result["has_next"] is False


def test_pages_together_hold_every_item_once():
    pages = paginate(LETTERS, 1, 3)["pages"]
    shown = [item for page in range(1, pages + 1) for item in paginate(LETTERS, page, 3)["items"]]
    assert shown == LETTERS


def test_very_long_sequences_are_counted_exactly():
    result = paginate(range(10**17 + 1), 10**16 + 1, 10)
    assert result["pages"] == 10**16 + 1
    assert result["items"] == [10**17]
    assert result["has_previous"] is True
    assert result["has_next"] is False


def test_size_may_be_huge():
    result = paginate(LETTERS, 1, 10**40)
    assert result["items"] == LETTERS
    assert result["pages"] == 1


@pytest.mark.parametrize("items", [tuple("abc"), "abc", list("abc")])
def test_any_sequence_gives_a_new_list(items):
    shown = paginate(items, 1, 5)["items"]
    assert shown == ["a", "b", "c"]
    assert isinstance(shown, list)
    assert shown is not items


def test_items_are_not_changed():
    items = list(LETTERS)
    paginate(items, 1, 3)["items"].clear()
    assert items == LETTERS


@pytest.mark.parametrize("value", [0, -1, -(10**30)])
def test_values_below_one_are_refused(value):
    with pytest.raises(ValueError, match="^page"):
        paginate(LETTERS, value, 3)
    with pytest.raises(ValueError, match="^size"):
        paginate(LETTERS, 1, value)


@pytest.mark.parametrize("value", [1.0, "1", None, True, False])
def test_other_types_are_refused(value):
    with pytest.raises(TypeError, match="^page"):
        paginate(LETTERS, value, 3)
    with pytest.raises(TypeError, match="^size"):
        paginate(LETTERS, 1, value)
