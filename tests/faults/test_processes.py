from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.faults.processes import kill_in, only_child, pid_namespace, start, titled, wait_until


def test_a_process_is_ended_only_in_the_namespace_it_is_thought_to_be_in(own_network: None) -> None:
    command = ["unshare", "--pid", "--fork", "--kill-child", "sleep", "60"]
    outer = start(command, os.environ, subprocess.DEVNULL)
    try:
        inner = only_child(outer.pid)
        assert not kill_in(pid_namespace(os.getpid()), inner)
        assert outer.poll() is None
        # A child that has just been made bears its parent's name for a moment.
        names = {inner: "sleep 60"}
        assert wait_until(lambda: dict(titled("sleep", pid_namespace(inner))) == names, 20)
        assert kill_in(pid_namespace(inner), inner)
        assert outer.wait(10) != 0
        assert not kill_in(pid_namespace(os.getpid()), inner)
    finally:
        outer.kill()
        outer.wait()


def test_what_was_started_ends_with_whoever_started_it() -> None:
    code = (
        "import os, subprocess\n"
        "from tests.faults.processes import start\n"
        "print(start(['sleep', '60'], os.environ, subprocess.DEVNULL).pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, timeout=60, check=False
    )
    sleeper = int(told.stdout)

    def gone() -> bool:
        try:
            with Path(f"/proc/{sleeper}/status").open() as status:
                return "State:\tZ" in status.read()
        except OSError:
            return True

    assert wait_until(gone, 10)


def test_waiting_has_an_end() -> None:
    began = time.monotonic()
    assert not wait_until(lambda: False, 0.3, 0.05)
    assert time.monotonic() - began < 5
