"""Requests to servers that do what no library expects, over real connections."""

from __future__ import annotations

import asyncio
import email.utils
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tasks import http
from tasks.http import Answer, HttpClient, retry_after

Play = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n"


async def ask(play: Play, seconds: float = 5.0, times: int = 1) -> list[Answer]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            await play(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    client = HttpClient()
    try:
        url = f"http://127.0.0.1:{port}/v1/x"
        return [await client.post(url, {"x-key": "k"}, b"{}", seconds) for _ in range(times)]
    finally:
        await client.aclose()
        server.close()


def answer(*pieces: bytes, pause: float = 0.0, **options: float) -> Answer:
    async def play(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    return asyncio.run(ask(play, **options))[0]


def test_a_whole_answer_comes_whole_with_its_status_and_headers() -> None:
    got = answer(b"HTTP/1.1 503 Busy\r\nRetry-After: 7\r\ncontent-length: 2\r\n\r\n{}")
    assert (got.status, got.body, got.fault) == (503, b"{}", "")
    assert got.headers["retry-after"] == "7"


@pytest.mark.parametrize(
    "pieces",
    [
        (HEAD + b"12345",),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n12345\r\n",),
        (b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\n12345",),
        (b"",),
        (b"not HTTP at all\r\n\r\n",),
        (b"HTTP/1.1 200 OK\r\ncontent-len",),
    ],
    ids=["short", "no last chunk", "no gzip", "nothing", "not HTTP", "half a head"],
)
def test_an_answer_that_breaks_off_is_a_fault_and_never_raises(pieces: tuple[bytes, ...]) -> None:
    got = answer(*pieces)
    assert got.fault
    assert not got.refused


def test_what_came_before_a_break_is_kept() -> None:
    got = answer(HEAD, b"12345", pause=0.02)
    assert (got.status, got.body) == (200, b"12345")
    assert "broken off" in got.fault


@pytest.mark.parametrize("piece", [b" ", b""])
def test_a_drip_or_a_silence_is_cut_at_the_limit(piece: bytes) -> None:
    begun = time.monotonic()
    endless = b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n"
    got = answer(endless, *[piece] * 1000, pause=0.01, seconds=0.2)
    assert "within 0.2 s" in got.fault
    assert 0.2 <= time.monotonic() - begun < 5.0


def test_an_answer_without_end_is_cut_at_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MAX_BODY_BYTES", 1000)
    head = b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n"
    got = answer(head, b"x" * 100_000)
    assert "more than 1000 bytes" in got.fault
    assert len(got.body) == 1000


def test_a_redirect_is_not_followed() -> None:
    got = answer(b"HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n")
    assert (got.status, got.fault) == (307, "")


def test_no_server_is_a_refused_connection() -> None:
    async def run() -> Answer:
        server = await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        server.close()
        await server.wait_closed()
        client = HttpClient()
        got = await client.post(f"http://127.0.0.1:{port}/", {}, b"", 5.0)
        await client.aclose()
        return got

    got = asyncio.run(run())
    assert (got.status, got.refused) == (None, True)


def test_proxies_and_netrc_of_the_environment_see_no_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password else\n")
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    seen: list[bytes] = []

    async def run() -> Answer:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            seen.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(HEAD + b"1234567890")
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        client = HttpClient()
        got = await client.post(f"http://127.0.0.1:{port}/x", {"x-key": "k"}, b"{}", 5.0)
        await client.aclose()
        server.close()
        return got

    assert asyncio.run(run()).status == 200
    assert seen[0].startswith(b"POST /x HTTP/1.1\r\n")
    assert b"authorization" not in seen[0].lower()
    assert b"accept-encoding: identity" in seen[0].lower()


def test_a_connection_is_used_again_only_after_a_whole_answer() -> None:
    served: list[int] = []

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.append(0)
        while True:
            served[-1] += 1
            writer.write(HEAD + b"1234567890")
            await reader.readexactly(2)
            await reader.readuntil(b"\r\n\r\n")

    got = asyncio.run(ask(play, times=3))
    assert [each.body for each in got] == [b"1234567890"] * 3
    assert served == [3]


def test_the_wish_to_wait_is_read_in_seconds_or_as_a_date() -> None:
    assert retry_after({"retry-after": "7"}) == 7.0
    assert retry_after({"retry-after": "0.5"}) == 0.5
    assert retry_after({"retry-after": "-3"}) == 0.0
    assert retry_after({"retry-after-ms": "250"}) == 0.25
    later = email.utils.formatdate(time.time() + 100, usegmt=True)
    assert 98.0 < (retry_after({"retry-after": later}) or 0) <= 100.0
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0


@pytest.mark.parametrize("wish", ["", "soon", "nan", "inf", "99999999999999999999 GMT", "\x00"])
def test_a_wish_that_makes_no_sense_is_none(wish: str) -> None:
    assert retry_after({"retry-after": wish}) is None
    assert retry_after({}) is None
