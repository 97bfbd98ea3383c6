"""An HTTP proxy before an S3 server: it counts what goes through, and lets a share of it fail.

    python -m tests.storage.faulty_proxy --to http://127.0.0.1:9000 --port 9001 --share 0.1 --seed 7

What fails is drawn from a seed. Before the server saw a request: `slow_down`, `internal`, `reset`.
After it carried the request out: `late` (500), `lost` (no answer), `cut` (half an answer).
"""

from __future__ import annotations

import argparse
import http.client
import random
import socket
import struct
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

FAULTS = ("slow_down", "internal", "reset", "late", "lost", "cut")
_ERROR = "<?xml version='1.0'?><Error><Code>{code}</Code><Message>drawn by lot</Message></Error>"
_OWN = ("connection", "transfer-encoding", "content-length", "expect", "keep-alive")


@dataclass
class Traffic:
    """What went through; `answered` are bytes of bodies that were asked for."""

    share: float = 0.0
    faults: tuple[str, ...] = FAULTS
    draw: random.Random = field(default_factory=lambda: random.Random(0))
    requests: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    answered: int = 0
    sent: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def fate(self, method: str) -> str:
        """Name of the fault that a request meets; empty when it goes through."""
        with self.lock:
            self.requests[method] += 1
            if self.draw.random() >= self.share:
                return ""
            fault = self.draw.choice(self.faults)
            self.failed[fault] += 1
            return fault

    def count(self, sent: int, answered: int) -> None:
        with self.lock:
            self.sent += sent
            self.answered += answered

    def reset(self) -> None:
        with self.lock:
            self.requests.clear()
            self.failed.clear()
            self.answered = self.sent = 0


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    upstream: str
    traffic: Traffic
    # Answers go out at once; two small packets would wait for each other.
    disable_nagle_algorithm = True

    def _serve(self) -> None:
        body = self._body()
        fault = self.traffic.fate(self.command)
        if fault == "reset":
            return self._reset()
        if fault in _REFUSALS:
            return self._refuse(*_REFUSALS[fault])
        status, headers, data = self._forward(body)
        if fault == "late":
            return self._refuse(*_REFUSALS["internal"])
        if fault == "lost":
            return self._reset()
        # Not send_response, which adds a Date of its own to the server's.
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in _OWN:
                self.send_header(name, value)
        length = next((v for n, v in headers if n.lower() == "content-length"), str(len(data)))
        self.send_header("Content-Length", length)
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if fault == "cut" else data)
        self.traffic.count(len(body), len(data))
        if fault == "cut":
            self._reset()
        return None

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _serve

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _forward(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        connection = http.client.HTTPConnection(self.upstream, timeout=60)
        try:
            connection.putrequest(
                self.command, self.path, skip_host=True, skip_accept_encoding=True
            )
            for name, value in self.headers.items():
                if name.lower() not in _OWN:
                    connection.putheader(name, value)
            if body or self.command in ("PUT", "POST"):
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()

    def _refuse(self, status: int, code: str) -> None:
        data = b"" if self.command == "HEAD" else _ERROR.format(code=code).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _reset(self) -> None:
        self.close_connection = True
        now = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)
        self.rfile.close()
        self.connection.close()

    def finish(self) -> None:
        with suppress(OSError, ValueError):
            super().finish()

    def log_message(self, *_: object) -> None:
        pass


_REFUSALS = {
    "slow_down": (503, "SlowDown"),
    "internal": (500, "InternalError"),
    # Not drawn unless asked for: it does not pass.
    "refuse": (403, "AccessDenied"),
}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A client that went away is no news here."""


@contextmanager
def faulty_proxy(
    to: str, traffic: Traffic, port: int = 0, host: str = "127.0.0.1"
) -> Iterator[str]:
    """URL of a proxy before the server at `to`, for as long as the block runs."""
    known = {"upstream": urlsplit(to).netloc, "traffic": traffic}
    server = _Server((host, port), type("Handler", (_Handler,), known))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://{host}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--to", required=True, help="URL of the server")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--share", type=float, default=0.1, help="of requests that fail")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    traffic = Traffic(options.share, draw=random.Random(options.seed))
    with faulty_proxy(options.to, traffic, options.port) as url:
        print(url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
