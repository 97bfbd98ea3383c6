"""Sources are decoded as Python decodes them, and come back as the same bytes."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.decoding import decode_source, split_lines

LATIN = "# -*- coding: latin-1 -*-\r\nx = 'caf\xe9'\r\n".encode("latin-1")
SOURCES = {
    "plain": b"x = 'a'\n",
    "empty": b"",
    "utf-8": "x = 'é\u2028'\n".encode(),
    "bom": b"\xef\xbb\xbf" + "x = 'é'\n".encode(),
    "bom and cookie": b"\xef\xbb\xbf" + "# coding: utf-8\nx = 'é'\n".encode(),
    "latin-1 with crlf": LATIN,
    "cookie in line two": "#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '€'\n".encode(
        "cp1252"
    ),
    "cookie after a lone carriage return": "#!x\r# coding: latin-1\rx = 'é'\r".encode("latin-1"),
    "cookie too late": "x = 1\n\n# coding: latin-1\ny = 'é'\n".encode(),
    "shift_jis": "# coding: shift_jis\nx = '日本'\n".encode("shift_jis"),
    "form feed": b"x = 1\n\x0cy = 2\n",
    "no last newline": b"x = 1",
}
UNREADABLE = {
    "latin-1 without a cookie": "x = 'é'\n".encode("latin-1"),
    "unknown encoding": b"# coding: no-such\nx = 1\n",
    "bom against cookie": b"\xef\xbb\xbf# coding: latin-1\nx = 1\n",
    "null byte": b"x = 1\0\n",
}


@pytest.mark.parametrize("data", SOURCES.values(), ids=SOURCES)
def test_decodes_to_what_python_parses_and_encodes_back(data: bytes) -> None:
    source = decode_source(data)
    assert ast.dump(ast.parse(source.text)) == ast.dump(ast.parse(data))
    assert source.encode(source.text) == data


@pytest.mark.parametrize("data", UNREADABLE.values(), ids=UNREADABLE)
def test_refuses_what_python_cannot_read(data: bytes) -> None:
    with pytest.raises((SyntaxError, ValueError)):
        compile(data, "x", "exec")
    with pytest.raises(SyntaxError):
        decode_source(data)


def test_encoding_and_mark_are_kept() -> None:
    assert decode_source(LATIN).encoding == "iso-8859-1"
    assert decode_source(LATIN).encode("é") == b"\xe9"
    assert decode_source(SOURCES["bom"]).encode("é") == b"\xef\xbb\xbf\xc3\xa9"
    with pytest.raises(UnicodeEncodeError):
        decode_source(LATIN).encode("€")


@given(st.text(alphabet="ab \t\n\r\x0b\x0c\x1c\x85\u2028", max_size=30))
def test_lines_are_those_of_the_tokenizer(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    normal = text.replace("\r\n", "\n").replace("\r", "\n")
    assert len(lines) == normal.count("\n") + (not normal.endswith("\n") and normal != "")
