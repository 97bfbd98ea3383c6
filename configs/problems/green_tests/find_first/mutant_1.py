"""Binary search in a sorted sequence with repeated items."""


def find_first(items, target):
    """Return the index of the first item equal to `target`, or -1 if there is none.

    Arguments:
        items: a sequence sorted in ascending order, in which items may be repeated. It is not
            changed. Of n items at most n.bit_length() + 1 are read, so even range(10**18) is
            searched at once.
        target: a value that can be compared with the items by < and ==. A NaN is equal to nothing.

    Returns an int from 0 to n - 1, or -1; never a negative index of another kind.

    Raises:
        TypeError: an item that was read cannot be compared with `target`.
    """
    low, high = 0, len(items)
    while low < high:
        middle = (low + high) // 2
        if items[middle] < target:
            low = middle + 1
        else:
            high = middle
    if items[low] == target:
        return low
    return -1
