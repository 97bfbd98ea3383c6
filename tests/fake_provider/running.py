"""The server in a process of its own, for clients that are killed or measured."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fake_provider.asking import Wire
from tests.fake_provider.script import Script
from tests.fake_provider.server import url

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Running:
    """A server that runs in process `pid`; `log` has a JSON line for each request."""

    base_url: str
    pid: int
    log: Path

    def url(self, wire: Wire) -> str:
        """What a provider's `base_url` is for a wire format."""
        return url(self.base_url, wire)

    def stats(self) -> dict[str, Any]:
        """What it was asked so far."""
        with urllib.request.urlopen(f"{self.base_url}/stats", timeout=30) as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    def lines(self) -> list[dict[str, Any]]:
        """The log."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@contextlib.contextmanager
def running(script: Script, folder: Path, *, port: int = 0) -> Iterator[Running]:
    """Start one, its script and log in `folder`; it ends with the block, or with this process."""
    path, log = folder / "script.json", folder / "asked.jsonl"
    path.write_text(script.model_dump_json(exclude_unset=True), encoding="utf-8")
    command = [sys.executable, "-m", "tests.fake_provider", "--while-stdin", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--script", path, "--log", log],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        first = process.stdout.readline().split()
        if not first:
            raise RuntimeError("the fake provider did not start; its error is above")
        yield Running(first[-1], process.pid, log)
    finally:
        process.stdin.close()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
