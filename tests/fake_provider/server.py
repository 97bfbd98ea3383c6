"""The server: HTTP/1.1 by hand, since it must break it; on the loopback interface only."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
import urllib.parse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.fake_provider import asking, playing
from tests.fake_provider.asking import Asked, BadRequestError, Wire
from tests.fake_provider.counts import Counts
from tests.fake_provider.failing import error
from tests.fake_provider.playing import Answer
from tests.fake_provider.script import Played, Script

_HEAD_BYTES = 64 * 1024
_FLOOD_BYTES = 64 * 1024
_ENOUGH_S = 0.02  # for what was sent to arrive before the connection is broken


class FakeProvider:
    """A server within this event loop, from `async with` on; all it was asked is in `asked`."""

    def __init__(
        self,
        script: Script | Mapping[str, Any] | None = None,
        *,
        port: int = 0,
        log: Path | None = None,
        keep: bool = True,
    ) -> None:
        self.script = script if isinstance(script, Script) else Script.model_validate(script or {})
        self._port = port
        self._counts = Counts(log, keep=keep)
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> FakeProvider:
        self._server = await asyncio.start_server(
            self._connected, "127.0.0.1", self._port, limit=_HEAD_BYTES, backlog=1024
        )
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        self._counts.close()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def url(self, wire: Wire) -> str:
        """What a provider's `base_url` is for a wire format: up to and with the version."""
        return url(self.base_url, wire)

    @property
    def asked(self) -> list[Asked]:
        """Every request that could be read, in order."""
        return self._counts.asked

    def stats(self) -> dict[str, Any]:
        """As GET /stats gives it."""
        return self._counts.stats()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its answer; False: the connection is to be closed."""
        line, headers = _head(await reader.readuntil(b"\r\n\r\n"))
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        method, target = [*line.split(), "", ""][:2]
        path = urllib.parse.unquote(target.partition("?")[0])
        if (method, path) == ("GET", "/stats"):
            return await _send(writer, Answer(json.dumps(self.stats()).encode()))
        wire = asking.wire_of(path)
        if method != "POST" or wire is None:
            return await _send(
                writer, Answer(json.dumps({"error": f"nothing at {path}"}).encode(), 404)
            )
        try:
            asked = asking.read(path, headers, body)
        except BadRequestError as fault:
            said = json.dumps(error(wire, 400, str(fault)))
            return await _send(writer, Answer(said.encode(), 400))
        nth, request = self._counts.begin(asked)
        try:
            played = self.script.play(asked, nth, request)
            answer = playing.answer(asked, played, request)
            self._counts.write(asked, played, answer, nth, request)
            await asyncio.sleep(played.delay_s)
            return await _play(reader, writer, played, answer)
        finally:
            self._counts.in_flight -= 1


def url(base_url: str, wire: Wire) -> str:
    """The server's address for a wire format."""
    return f"{base_url}/v1beta" if wire == "gemini" else f"{base_url}/v1"


def _head(data: bytes) -> tuple[str, dict[str, str]]:
    """The request line and the headers, their names in lower case."""
    first, *lines = data.decode("latin-1").rstrip("\r\n").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return first, {name.strip().lower(): value.strip() for name, _, value in pairs}


async def _play(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, played: Played, answer: Answer
) -> bool:
    if answer.sending == "whole":
        return await _send(writer, answer)
    half = answer.body[: len(answer.body) // 2]
    if answer.sending == "hang":
        if played.way == "body":
            writer.write(_top(answer, f"content-length: {len(answer.body)}"))
        await reader.read()
    elif answer.sending == "drip":
        await _drip(reader, writer, played, answer)
    elif answer.sending == "garbage":
        writer.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")
    elif answer.sending == "flood":
        await _flood(writer, answer)
    elif answer.sending == "reset":
        writer.write(_top(answer, f"content-length: {len(answer.body)}") + half)
        await writer.drain()
        await asyncio.sleep(_ENOUGH_S)
        _reset(writer)
    elif answer.sending == "short_body" and played.way == "chunked":
        chunk = f"{len(half):x}\r\n".encode() + half + b"\r\n"
        writer.write(_top(answer, "transfer-encoding: chunked") + chunk)
    elif answer.sending == "short_body":
        sent = answer.body if played.way == "complete" else half
        writer.write(_top(answer, f"content-length: {len(answer.body) + 1}") + sent)
    return False


async def _send(writer: asyncio.StreamWriter, answer: Answer) -> bool:
    writer.write(_top(answer, f"content-length: {len(answer.body)}") + answer.body)
    await writer.drain()
    return True


def _top(answer: Answer, length: str) -> bytes:
    fields = [f"{name}: {value}" for name, value in answer.headers]
    lines = [f"HTTP/1.1 {answer.status} Played", *fields, length, "", ""]
    return "\r\n".join(lines).encode("latin-1")


async def _drip(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, played: Played, answer: Answer
) -> None:
    """Send single bytes until the client has gone."""
    top = _top(answer, "content-length: 1000000000")
    endless = b"x-drip: " if played.way == "headers" else b""
    writer.write(top[:-2] + endless if endless else top)
    gone = asyncio.ensure_future(reader.read())
    try:
        while not gone.done():
            writer.write(b"." if endless else b" ")
            await asyncio.wait({gone}, timeout=played.every_s)
    finally:
        gone.cancel()
        with contextlib.suppress(asyncio.CancelledError, ConnectionError):
            await gone


async def _flood(writer: asyncio.StreamWriter, answer: Answer) -> None:
    writer.write(_top(answer, "content-length: 1000000000000"))
    while True:
        writer.write(b" " * _FLOOD_BYTES)
        await writer.drain()


def _reset(writer: asyncio.StreamWriter) -> None:
    """Break the connection with a TCP reset: lingering for no time makes the kernel send one."""
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
