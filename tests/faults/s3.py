"""The S3 server of a night: started in the hub, told how many requests are to fail."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.faults.network import HUB_ADDRESS, inside
from tests.faults.processes import end, start, tail, wait_until
from tests.faults.s3_service import BUCKET, put

PORT = 9000
START_S = 120.0


class S3:
    """A server with one bucket, and a proxy before it that lets requests fail."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextlib.contextmanager
    def running(self, hub: str, environment: Mapping[str, str]) -> Iterator[None]:
        """Serve for the time of a `with` block."""
        folder = self._folder
        folder.mkdir()
        words = ["--host", HUB_ADDRESS, "--port", str(PORT), "--folder", str(folder)]
        command = [sys.executable, "-m", "tests.faults.s3_service", *words]
        with (folder / "log").open("wb") as log:
            server = start(inside(hub, command), environment, log)
        try:
            if not wait_until((folder / "url").exists, START_S):
                raise RuntimeError(f"no S3 server: {tail(folder / 'log')}")
            yield
        finally:
            end(server)

    @staticmethod
    def store(name: str) -> str:
        """A store of that name, as nodes and hub reach it."""
        url = f"http://{HUB_ADDRESS}:{PORT}"
        return f"s3://{BUCKET}/{name}?endpoint_url={url}&region=us-east-1"

    def fails(self, share: float, faults: Sequence[str] = ()) -> None:
        """From now on this share of requests fails, in any of the ways or in those."""
        orders = {"share": share} | ({"faults": list(faults)} if faults else {})
        put(self._folder / "faults.json", orders)

    def traffic(self) -> dict[str, dict[str, int]]:
        """Requests by method and failures by kind, so far."""
        told: dict[str, dict[str, int]] = json.loads((self._folder / "traffic.json").read_text())
        return told
