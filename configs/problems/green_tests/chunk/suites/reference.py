import pytest

from solution import chunk


@pytest.mark.parametrize(
    ("items", "size", "chunks"),
    [
        ([1, 2, 3, 4], 2, [[1, 2], [3, 4]]),
        ([1, 2, 3, 4, 5], 2, [[1, 2], [3, 4], [5]]),
        ([1, 2, 3], 1, [[1], [2], [3]]),
        ([1, 2, 3], 3, [[1, 2, 3]]),
        ([1, 2, 3], 10, [[1, 2, 3]]),
        ([1], 1, [[1]]),
        ([], 3, []),
        ([None, 0, ""], 2, [[None, 0], [""]]),
    ],
)
def test_without_overlap(items, size, chunks):
    assert chunk(items, size) == chunks


@pytest.mark.parametrize(
    ("length", "size", "overlap", "chunks"),
    [
        (7, 3, 1, [[0, 1, 2], [2, 3, 4], [4, 5, 6]]),
        (8, 3, 1, [[0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7]]),
        (5, 3, 2, [[0, 1, 2], [1, 2, 3], [2, 3, 4]]),
        (4, 4, 2, [[0, 1, 2, 3]]),
        (5, 4, 2, [[0, 1, 2, 3], [2, 3, 4]]),
        (6, 4, 2, [[0, 1, 2, 3], [2, 3, 4, 5]]),
        (3, 3, 1, [[0, 1, 2]]),
        (3, 2, 1, [[0, 1], [1, 2]]),
        (2, 2, 1, [[0, 1]]),
    ],
)
def test_with_overlap(length, size, overlap, chunks):
    assert chunk(range(length), size, overlap) == chunks
    assert chunk(range(length), size=size, overlap=overlap) == chunks


@pytest.mark.parametrize("length", [1, 2, 3])
def test_items_no_longer_than_the_overlap_are_one_chunk(length):
    assert chunk(range(length), 5, 3) == [list(range(length))]


def test_no_items_with_overlap():
    assert chunk([], 5, 3) == []
    assert chunk(iter(()), 5) == []


def test_contract_on_all_small_cases():
    for length in range(1, 12):
        for size in range(1, 6):
            for overlap in range(size):
                chunks = chunk(range(length), size, overlap)
                joined = chunks[0] + [x for each in chunks[1:] for x in each[overlap:]]
                assert joined == list(range(length))
                assert all(len(each) == size for each in chunks[:-1])
                assert all(len(each) > overlap for each in chunks[1:])
                assert len(chunks[-1]) <= size
                for before, after in zip(chunks, chunks[1:]):
                    assert after[:overlap] == before[len(before) - overlap :]


@pytest.mark.parametrize(
    "make", [tuple, iter, str, dict.fromkeys, lambda items: (x for x in items)]
)
def test_any_iterable_gives_lists(make):
    assert chunk(make("abc"), 2) == [["a", "b"], ["c"]]


def test_items_are_not_changed_and_chunks_are_new():
    items = [1, 2, 3]
    chunks = chunk(items, 5)
    chunks[0].append(4)
    assert items == [1, 2, 3]


def test_huge_size_and_overlap():
    assert chunk([1, 2, 3], 10**30) == [[1, 2, 3]]
    assert chunk([1, 2, 3], 10**30, 10**30 - 1) == [[1, 2, 3]]


@pytest.mark.parametrize("size", [0, -1, -(10**30)])
def test_size_below_one(size):
    with pytest.raises(ValueError, match="^size"):
        chunk([1, 2], size)
    with pytest.raises(ValueError, match="^size"):
        chunk([], size)


@pytest.mark.parametrize("overlap", [-1, 3, 4, 10**30])
def test_overlap_out_of_range(overlap):
    with pytest.raises(ValueError, match="^overlap"):
        chunk([1, 2], 3, overlap)
    with pytest.raises(ValueError, match="^overlap"):
        chunk([], 3, overlap)


@pytest.mark.parametrize("wrong", [None, 1.0, "1", True, False])
def test_only_ints(wrong):
    with pytest.raises(TypeError, match="^size"):
        chunk([1, 2], wrong)
    with pytest.raises(TypeError, match="^overlap"):
        chunk([1, 2], 2, wrong)
