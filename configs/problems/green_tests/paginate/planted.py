"""Cutting a list of results into numbered pages."""


def paginate(items, page, size):
    """Return one page of `items`, with what a pager needs to know about it, as a dict.

    Arguments:
        items: a sequence, of any length; it is not changed.
        page: number of the page wanted, an int of at least 1.
        size: how many items a page holds, an int of at least 1.

    Keys of the result:
        "items": list of the items of this page, in order; empty beyond the last page.
        "page": the page number, as given.
        "pages": how many pages there are, an exact int: as many as it takes to show every item,
            none of them empty; 0 if there are no items.
        "has_previous": True if page number `page - 1` exists and shows items, else False.
        "has_next": True if page number `page + 1` exists and shows items, else False.

    Raises:
        TypeError: `page` or `size` is not an int; True and False are not ints here.
        ValueError: `page` or `size` is below 1.
        The message begins with the name of the argument.
    """
    for name, value in (("page", page), ("size", size)):
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{name} must be an int")
        if value < 1:
            raise ValueError(f"{name} must be at least 1")
    pages = (len(items) + size - 1) // size
    first = (page - 1) * size
    shown = list(items[first : first + size])
    return {
        "items": shown,
        "page": page,
        "pages": pages,
        "has_previous": 1 < page <= pages + 1,
        "has_next": len(shown) == size,
    }
