"""Messages arrive whole or not at all."""

from __future__ import annotations

import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.sandbox import messages

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
def test_a_message_comes_back_as_it_was(message: object) -> None:
    one, other = socket.socketpair()
    with one, other:
        messages.send(one, message)
        assert messages.receive(other) == message


def test_a_message_larger_than_every_buffer_arrives() -> None:
    one, other = socket.socketpair()
    with one, other:
        text = "\ud800" + "x" * 5_000_000
        sender = threading.Thread(target=messages.send, args=(one, text))
        sender.start()
        assert messages.receive(other) == text
        sender.join()


def test_an_end_in_the_middle_of_a_message_is_an_end() -> None:
    one, other = socket.socketpair()
    with other:
        with one:
            one.sendall(b"\x10\0\0\0\0\0\0\0half")
        with pytest.raises(messages.ClosedError):
            messages.receive(other)


def test_silence_is_told_apart_from_an_end() -> None:
    one, other = socket.socketpair()
    with one, other:
        other.settimeout(0.01)
        with pytest.raises(TimeoutError):
            messages.receive(other)


def test_every_byte_travels_as_latin_1() -> None:
    data = bytes(range(256))
    one, other = socket.socketpair()
    with one, other:
        messages.send(one, data.decode("latin-1"))
        assert messages.receive(other).encode("latin-1") == data
