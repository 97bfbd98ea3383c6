"""Bytes of a Python source file to text and back, exactly as Python itself decodes them.

Line ends are kept, the byte order mark is set apart, the coding cookie decides the encoding.
"""

from __future__ import annotations

import io
import tokenize
from dataclasses import dataclass


@dataclass(frozen=True)
class SourceText:
    """Decoded source without its byte order mark; line ends are those of the file."""

    text: str
    encoding: str = "utf-8"
    bom: bool = False

    def encode(self, text: str) -> bytes:
        """Another text as bytes in this encoding; UnicodeEncodeError if it cannot hold it."""
        return (b"\xef\xbb\xbf" if self.bom else b"") + text.encode(self.encoding)


def decode_source(data: bytes) -> SourceText:
    """Decode as Python does; SyntaxError for whatever Python cannot read either."""
    # Python looks for the cookie in lines that may end in a lone carriage return.
    head = io.BytesIO(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    encoding, _ = tokenize.detect_encoding(head.readline)
    bom = encoding == "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise SyntaxError(
            f"not {encoding}: byte {error.start} is {data[error.start]:#04x}"
        ) from None
    if "\0" in text:
        raise SyntaxError("source code cannot contain null bytes")
    return SourceText(text, "utf-8" if bom else encoding, bom)


def split_lines(text: str) -> list[str]:
    """Lines as Python's tokenizer counts them, each with its own line end kept.

    Unlike str.splitlines, a form feed or a Unicode line separator ends no line.
    """
    return list(io.StringIO(text, newline=""))
