"""HTTP: the one file that knows the client library. A request goes out, an answer comes back whole.

Nothing is retried, redirected or raised here: whatever a server does ends in an `Answer`.
"""

from __future__ import annotations

import asyncio
import math
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

import httpx2

CONNECT_S = 30.0
MAX_BODY_BYTES = 16 * 2**20
# A model thinks for minutes without a byte, and address translation in clouds forgets a connection
# that is silent for 350 s.
KEEP_ALIVE = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 60),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 5),
]


@dataclass(frozen=True)
class Answer:
    """What came of one request: a complete answer, or as much as came and the `fault`.

    `status` is None when no answer began. `refused` says that no connection was made, so that the
    server cannot have seen the request. Header names are in lower case.
    """

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    fault: str = ""
    refused: bool = False


class HttpClient:
    """Sends requests from the event loop it runs in.

    Proxies and `.netrc` of the environment are not used, so that a key goes nowhere but to the
    server that the config names; only the certificates of SSL_CERT_FILE and SSL_CERT_DIR are.
    Callers limit the requests in flight.
    """

    def __init__(self) -> None:
        self._client = httpx2.AsyncClient(
            transport=httpx2.AsyncHTTPTransport(
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=100),
                socket_options=KEEP_ALIVE,
            ),
            timeout=httpx2.Timeout(None, connect=CONNECT_S),
            follow_redirects=False,
            trust_env=False,
        )

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        """Send a body; the answer's last byte must be here within `seconds`, however it drips."""
        request = self._client.build_request(
            "POST", url, headers={"accept-encoding": "identity", **headers}, content=body
        )
        received = _Received()
        try:
            async with asyncio.timeout(seconds):
                return await self._exchange(request, received)
        except TimeoutError:
            return received.broken(f"no complete answer within {seconds:.3g} s")
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            return Answer(fault=f"no connection: {_say(error)}", refused=True)
        except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
            return received.broken(f"broken off: {_say(error)}")

    async def _exchange(self, request: httpx2.Request, received: _Received) -> Answer:
        response = await self._client.send(request, stream=True)
        try:
            received.status, received.headers = response.status_code, dict(response.headers)
            async for chunk in response.aiter_bytes():
                received.body += chunk
                if len(received.body) > MAX_BODY_BYTES:
                    return received.broken(f"an answer of more than {MAX_BODY_BYTES} bytes")
            return received.broken("")
        finally:
            await response.aclose()

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()


class _Received:
    """What has arrived of an answer so far."""

    def __init__(self) -> None:
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        self.body = bytearray()

    def broken(self, fault: str) -> Answer:
        return Answer(self.status, self.headers, bytes(self.body[:MAX_BODY_BYTES]), fault)


def _say(error: Exception) -> str:
    return str(error) or type(error).__name__


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that an answer asks to wait, as a number or as an HTTP date; None without a wish."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    wish = headers.get("retry-after", "")
    seconds = _number(wish)
    return _until(wish) if seconds is None else seconds


def _number(wish: str) -> float | None:
    try:
        number = float(wish)
    except ValueError:
        return None
    return max(number, 0.0) if math.isfinite(number) else None


def _until(wish: str) -> float | None:
    try:
        return max(parsedate_to_datetime(wish).timestamp() - time.time(), 0.0)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
