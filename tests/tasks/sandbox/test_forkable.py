"""Each fact is established in a new interpreter: a test run has threads and files of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def answer(before: str) -> str:
    """What `process_refusal` says after some code; the files open before that code are allowed."""
    code = f"""
import os, sys
from tasks.sandbox.forkable import open_descriptors, process_refusal
fds = open_descriptors()
{before}
print(process_refusal(fds))
sys.stdout.flush()
os._exit(0)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "before",
    [
        "",
        "import asyncio; asyncio.run(asyncio.sleep(0))",
        "import subprocess; subprocess.run(['true'])",
        "import threading; t = threading.Thread(target=int); t.start(); t.join()",
        "import mmap; m = mmap.mmap(-1, 10, flags=mmap.MAP_PRIVATE)",
        "open('/etc/hostname').close()",
    ],
)
def test_a_process_that_left_nothing_open_may_be_forked(before: str) -> None:
    assert answer(before) == ""


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        (
            "import threading as t, time; t.Thread(target=time.sleep, args=(9,)).start()",
            "1 other threads",
        ),
        ("import _thread, time; _thread.start_new_thread(time.sleep, (9,))", "1 other threads"),
        ("import subprocess; p = subprocess.Popen(['sleep', '1'])", "children"),
        ("import subprocess; p = subprocess.Popen(['true'])", "children"),
        ("kept = open('/etc/hostname')", "/etc/hostname"),
        ("import socket; kept = socket.socket()", "socket:"),
        ("import asyncio; loop = asyncio.new_event_loop()", "file descriptor"),
        ("import mmap; m = mmap.mmap(-1, 10)", "memory is shared"),
        ("import multiprocessing; lock = multiprocessing.Lock()", "memory is shared"),
        ("import signal; signal.setitimer(signal.ITIMER_REAL, 60)", "timer"),
        ("sys.settrace(lambda *a: None)", "tracer"),
        ("sys.setprofile(lambda *a: None)", "tracer"),
    ],
)
def test_what_a_fork_would_share_or_lose_is_named(before: str, reason: str) -> None:
    assert reason in answer(before)


def test_a_running_event_loop_is_named() -> None:
    before = """
import asyncio
async def inside():
    print(process_refusal(open_descriptors()))
asyncio.run(inside())
"""
    assert answer(before) == "an event loop runs"


def test_shared_memory_of_an_allowed_file_is_allowed() -> None:
    before = """
import mmap
fd = os.memfd_create("journal"); os.ftruncate(fd, 4096); kept = mmap.mmap(fd, 4096)
fds = open_descriptors()
"""
    assert answer(before) == ""


def test_descriptors_that_were_closed_since_are_no_trouble() -> None:
    assert answer("fd = os.open('/', 0); fds = open_descriptors(); os.close(fd)") == ""


def test_the_listing_allows_no_descriptor_of_its_own() -> None:
    assert "/etc" in answer("fds = open_descriptors(); kept = os.open('/etc', 0)")
