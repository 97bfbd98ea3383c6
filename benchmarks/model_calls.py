"""Makes many model calls against a server that fails now and then, and looks for what was lost.

    python -m benchmarks.model_calls --calls 2000 --concurrency 64 --faults 0.1

The client runs in this process, the fake provider in one of its own; the calls go to all four wire
formats in turn, and every intent and receipt is on disk before the client goes on. Exit status 1
when the receipts differ from what the server says it was asked.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from configs.models import PricesConfig, ProviderConfig
from tasks.budget import Budget
from tasks.calls import ModelClient
from tasks.model_records import Intent, Message, ModelRequest, Provider, Receipt
from tasks.pacing import CallPolicy
from tasks.prices import PriceBook
from tests.fake_provider import WIRES, Running, Script, Wire, running

# What goes wrong in the benchmark, in equal parts, and is over when it is asked again.
FAULTS: tuple[dict[str, Any], ...] = (
    {"do": "rate_limited", "retry_after": 0},
    {"do": "error_500"},
    {"do": "error_503"},
    {"do": "error_529"},
    {"do": "reset"},
    {"do": "short_body"},
    {"do": "bad_json"},
    {"do": "wrong_shape"},
    {"do": "error_in_200"},
    {"do": "hang"},
)
MODEL = "fake-1"
CAP = 2000
REPLY = "```python\n" + "".join(
    f"def test_{n}():\n    assert double({n}) == {2 * n}\n\n\n" for n in range(30)
)
POLICY = CallPolicy(attempts=6, deadline_s=120, attempt_s=3, backoff_s=0.05, backoff_max_s=1)


class FileRecorder:
    """Intents and receipts as lines of a file, on disk before a call goes on.

    Lines that arrive while the disk is busy share the next write.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._waiting: list[bytes] = []
        self._turn = asyncio.Lock()
        self.path = path

    async def intent(self, intent: Intent) -> None:
        await self._keep({"intent": [intent.call_id, intent.attempt]})

    async def receipt(self, receipt: Receipt) -> None:
        kept = {**asdict(receipt), "raw": receipt.raw.decode("latin-1")}
        await self._keep({"receipt": kept | {"raw_sha256": receipt.raw_sha256}})

    async def _keep(self, line: dict[str, Any]) -> None:
        mine = json.dumps(line).encode() + b"\n"
        self._waiting.append(mine)
        async with self._turn:
            if self._waiting and any(each is mine for each in self._waiting):
                lines, self._waiting = self._waiting, []
                await asyncio.to_thread(self._write, b"".join(lines))

    def _write(self, data: bytes) -> None:
        os.write(self._file, data)
        os.fdatasync(self._file)


@dataclass(frozen=True)
class Load:
    """What is asked: so many calls, so many at a time, and a share of them that fails."""

    calls: int
    concurrency: int
    faults: float
    delay_s: float

    def script(self) -> Script:
        """Of requests that no rule before it took, each rule takes what makes all shares equal."""
        each = self.faults / len(FAULTS)
        rules = [
            {**fault, "share": each / (1 - each * number)} for number, fault in enumerate(FAULTS)
        ]
        default = {"reply": {"text": REPLY}, "delay_s": self.delay_s}
        return Script.model_validate({"rules": rules, "default": default, "key": "sk-fake"})


@dataclass(frozen=True)
class Measured:
    """What the calls took: seconds, CPU seconds of the client, resident MiB before and at most."""

    wall_s: float
    cpu_s: float
    before_mb: float
    peak_mb: float


def providers(server: Running, load: Load) -> dict[str, Provider]:
    """One for each wire format; together they let `concurrency` calls be in flight."""
    share = max(1, load.concurrency // len(WIRES))
    return {
        wire: Provider(wire, wire, server.url(wire), key="sk-fake", concurrency=share)
        for wire in WIRES
    }


def price_book(server: Running) -> PriceBook:
    """A dollar for a million tokens of input, two for output."""
    prices = {MODEL: PricesConfig(input_mtok=1.0, output_mtok=2.0)}
    known: dict[str, ProviderConfig] = {
        wire: ProviderConfig(wire=wire, base_url=server.url(wire), prices=prices) for wire in WIRES
    }
    return PriceBook(known, {})


def question(number: int) -> ModelRequest:
    wire: Wire = WIRES[number % len(WIRES)]
    text = f"Write tests for problem {number}.\n\ndef double(x):\n    return 2 * x\n" * 10
    return ModelRequest(wire, MODEL, (Message("user", text),), CAP)


async def make_calls(server: Running, load: Load, path: Path) -> tuple[list[Receipt], Measured]:
    """The last receipt of every call, and what they took together."""
    recorder = FileRecorder(path)
    client = ModelClient(providers(server, load), price_book(server), POLICY, Budget())
    before, began, cpu = _status_mb("VmRSS"), time.perf_counter(), time.process_time()
    try:
        calls = [client.call(f"call-{n}", question(n), recorder) for n in range(load.calls)]
        last = await asyncio.gather(*calls)
    finally:
        await client.aclose()
    spent = time.perf_counter() - began, time.process_time() - cpu
    return list(last), Measured(*spent, before, _status_mb("VmHWM"))


def _status_mb(field: str) -> float:
    status = Path("/proc/self/status").read_text()
    return int(next(x for x in status.splitlines() if x.startswith(field)).split()[1]) / 1024


@dataclass(frozen=True)
class Account:
    """The client's file and the server's log, side by side."""

    intents: Counter[tuple[str, int]]
    receipts: list[dict[str, Any]]
    asked: list[dict[str, Any]]

    @classmethod
    def read(cls, path: Path, server: Running) -> Account:
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        return cls(
            Counter(tuple(line["intent"]) for line in lines if "intent" in line),
            [line["receipt"] for line in lines if "receipt" in line],
            server.lines(),
        )

    def differences(self, load: Load, last: list[Receipt]) -> list[str]:
        """Everything that does not add up; empty when nothing was lost or done twice."""
        tries = Counter((each["call_id"], each["attempt"]) for each in self.receipts)
        stops = Counter(e["raw_sha256"] for e in self.receipts if e["verdict"] == "stop")
        sent = Counter(e["body_sha256"] for e in self.asked if e["did"] == "normal")
        asked = Counter(each["prompt_sha256"] for each in self.asked)
        named = Counter(
            question(int(e["call_id"].split("-")[1])).prompt_sha256 for e in self.receipts
        )
        facts = {
            "an intent without its receipt, or the other way round": self.intents != tries,
            "an attempt that was written down twice": max(tries.values(), default=0) > 1,
            "a call without an end": len({r.call_id for r in last}) != load.calls,
            "a prompt asked more or less often than receipts say": asked != named,
            "a whole answer that was lost, or altered": stops != sent,
        }
        return [what for what, wrong in facts.items() if wrong]


def table(load: Load, account: Account, last: list[Receipt], measured: Measured) -> str:
    """The figures as two columns."""
    did = Counter(each["did"] for each in account.asked)
    faults = sum(did.values()) - did["normal"]
    verdicts = Counter(receipt.verdict for receipt in last)
    rows = {
        "calls": f"{load.calls} at concurrency {load.concurrency}",
        "verdicts": ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()),
        "requests the server counted": str(len(account.asked)),
        "of them faults": f"{faults} ({100 * faults / max(1, len(account.asked)):.1f} %)",
        "intents, receipts": f"{sum(account.intents.values())}, {len(account.receipts)}",
        "wall": f"{measured.wall_s:.1f} s, {load.calls / measured.wall_s:.0f} calls/s",
        "CPU of the client": f"{1000 * measured.cpu_s / load.calls:.2f} ms a call",
        "memory of the client": f"{measured.before_mb:.0f} MiB, peak {measured.peak_mb:.0f} MiB",
        "cost of all receipts": f"${sum(e['cost_usd'] or 0.0 for e in account.receipts):.4f}",
        "cost not known": f"{sum(e['cost_usd'] is None for e in account.receipts)} receipts",
    }
    width = max(map(len, rows))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows.items())


def main() -> int:
    """1 when something was lost."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--faults", type=float, default=0.1, help="share of requests that fail")
    parser.add_argument("--delay", type=float, default=0.05, help="seconds before each answer")
    options = parser.parse_args()
    load = Load(options.calls, options.concurrency, options.faults, options.delay)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with running(load.script(), folder) as server:
            last, measured = asyncio.run(make_calls(server, load, folder / "kept.jsonl"))
            peak = server.stats()["peak_in_flight"]
        account = Account.read(folder / "kept.jsonl", server)
    print(table(load, account, last, measured))
    print(f"most requests in flight at the server: {peak}; load {os.getloadavg()[0]:.1f}")
    differences = account.differences(load, last)
    print("\n".join(f"LOST: {each}" for each in differences) or "nothing lost")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
