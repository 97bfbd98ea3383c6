"""Length-prefixed JSON over a stream socket: the one format between host, stations and worker.

Bytes travel as Latin-1 text, which maps every byte to one character and back.
"""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

_LENGTH = struct.Struct("<Q")


class ClosedError(Exception):
    """The other side is gone."""


def send(connection: socket.socket, message: Any) -> None:
    """Send one message whole."""
    data = json.dumps(message).encode()
    try:
        connection.sendall(_LENGTH.pack(len(data)) + data)
    except OSError as error:
        raise ClosedError(str(error)) from error


def receive(connection: socket.socket) -> Any:
    """Wait for one message; ClosedError when the other side ends, TimeoutError as set on it."""
    (length,) = _LENGTH.unpack(_exactly(connection, _LENGTH.size))
    return json.loads(_exactly(connection, length))


def _exactly(connection: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        try:
            part = connection.recv(min(size - len(parts), 1 << 20))
        except TimeoutError:
            raise
        except OSError as error:
            raise ClosedError(str(error)) from error
        if not part:
            raise ClosedError("connection closed")
        parts += part
    return bytes(parts)
