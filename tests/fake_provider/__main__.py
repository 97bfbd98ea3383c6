"""`python -m tests.fake_provider`: the server until it is interrupted."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
from pathlib import Path

from pydantic import ValidationError

from tests.fake_provider.green_tests import green_tests_script
from tests.fake_provider.script import Script
from tests.fake_provider.server import FakeProvider


async def _serve(script: Script, port: int, log: Path | None, while_stdin: bool) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with FakeProvider(script, port=port, log=log, keep=False) as server:
        print(f"listening on {server.base_url}", flush=True)
        if while_stdin:
            loop.add_reader(sys.stdin, stop.set)
        await stop.wait()


def main() -> int:
    """2 when the script cannot be read."""
    parser = argparse.ArgumentParser(prog="tests.fake_provider", description=__doc__)
    parser.add_argument("--port", type=int, default=8099, help="0: any that is free")
    parser.add_argument("--script", type=Path, help="JSON; default: four writers of green_tests")
    parser.add_argument("--log", type=Path, help="a JSON line a request is added to this file")
    parser.add_argument("--while-stdin", action="store_true", help="end when stdin does")
    args = parser.parse_args()
    try:
        script = (
            green_tests_script()
            if args.script is None
            else Script.model_validate_json(args.script.read_bytes())
        )
    except (OSError, ValidationError) as error:
        print(f"{args.script}: {error}", file=sys.stderr)
        return 2
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(script, args.port, args.log, args.while_stdin))
    return 0


if __name__ == "__main__":
    sys.exit(main())
