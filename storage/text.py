r"""Text that UTF-8 cannot carry (lone surrogates), made storable and back again.

Python reads bytes that are no UTF-8 as lone surrogates; Parquet refuses those. Such a text is
stored with every backslash doubled and every surrogate written as `\udcff`; the row's `escaped`
column says so. All other text is stored as it is.
"""

from __future__ import annotations

import re

_UNSAFE = re.compile(r"[\\\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(?:\\|u([0-9a-f]{4}))")


def escape(text: str, force: bool = False) -> tuple[str, bool]:
    """Storable form of a text, and whether it was escaped; `force` escapes clean text too."""
    if not force:
        try:
            text.encode()
        except UnicodeEncodeError:
            pass
        else:
            return text, False
    return _UNSAFE.sub(_write, text), True


def unescape(text: str) -> str:
    """The text that `escape` was given; only for text that was escaped."""
    return _ESCAPE.sub(_read, text)


def _write(match: re.Match[str]) -> str:
    character = match.group()
    return r"\\" if character == "\\" else rf"\u{ord(character):04x}"


def _read(match: re.Match[str]) -> str:
    return chr(int(match.group(1), 16)) if match.group(1) else "\\"
