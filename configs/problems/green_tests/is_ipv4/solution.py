"""Checking IPv4 addresses in dotted decimal form."""


def is_ipv4(text):
    """Return True if `text` is an IPv4 address such as "192.168.0.1", else False.

    An address is exactly four numbers from 0 to 255 joined by single points. Numbers are written in
    ASCII digits without leading zeros ("0" itself is fine), since some systems read "010" as eight.
    Anything else makes it False: signs, blanks, a line break at the end, a port, digits of other
    scripts, superscripts, a number thousands of digits long, the empty str.

    Arguments:
        text: a str, of any content and length.

    Raises:
        TypeError: `text` is not a str. The message begins with "text".
    """
    if not isinstance(text, str):
        raise TypeError("text must be a str")
    numbers = text.split(".")
    return len(numbers) == 4 and all(_is_octet(number) for number in numbers)


def _is_octet(number):
    if not number.isascii() or not number.isdigit() or len(number) > 3:
        return False
    if number[0] == "0" and number != "0":
        return False
    return int(number) <= 255
