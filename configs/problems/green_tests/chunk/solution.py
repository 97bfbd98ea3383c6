"""Cutting a list into chunks."""


def chunk(items, size, overlap=0):
    """Return `items` cut into consecutive chunks of `size` items, as a list of lists.

    Each chunk begins with the last `overlap` items of the chunk before it. Every chunk has `size`
    items except the last, which ends with the last item and may be shorter. Every chunk holds
    at least one item that the chunk before it does not; without items there are no chunks.

    Arguments:
        items: any iterable; it is read once and not changed.
        size: an int of at least 1.
        overlap: an int of at least 0 and below `size`.

    Returns a new list of new lists.

    Raises:
        TypeError: `size` or `overlap` is not an int; True and False are not ints here.
        ValueError: `size` or `overlap` is out of range.
        The message begins with the name of the argument.
    """
    for name, value, least in (("size", size, 1), ("overlap", overlap, 0)):
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{name} must be an int")
        if value < least:
            raise ValueError(f"{name} must be at least {least}")
    if overlap >= size:
        raise ValueError("overlap must be below size")
    items = list(items)
    if not items:
        return []
    stop = max(len(items) - overlap, 1)
    return [items[start : start + size] for start in range(0, stop, size - overlap)]
