from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from storage.text import escape, unescape

# Every code point, lone surrogates and backslashes more often than chance would have them.
ANY_TEXT = st.text(st.characters() | st.characters(categories=["Cs"]) | st.sampled_from("\\ud8"))


@given(ANY_TEXT)
def test_escaped_text_is_storable_and_comes_back(text: str) -> None:
    stored, escaped = escape(text)
    stored.encode()
    assert (unescape(stored) if escaped else stored) == text


@given(ANY_TEXT)
def test_only_text_that_utf8_cannot_carry_is_escaped(text: str) -> None:
    odd = any("\ud800" <= character <= "\udfff" for character in text)
    assert escape(text)[1] == odd


@given(ANY_TEXT)
def test_clean_text_can_be_escaped_on_demand(text: str) -> None:
    stored, escaped = escape(text, force=True)
    assert escaped
    assert unescape(stored) == text


def test_bytes_that_are_no_utf8_come_back_as_they_were() -> None:
    data = b"caf\xe9 \\udce9"
    stored, _ = escape(data.decode("utf-8", "surrogateescape"))
    assert unescape(stored).encode("utf-8", "surrogateescape") == data
