"""A tool in the sandbox: what it wrote comes back, what it started ends, and it reaches nothing.

What it runs here is hostile: never run it in any other way.
"""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

import pytest

from tasks.environments import ensure_environment
from tasks.records import Environment, Limits
from tasks.tool_sandbox import ToolRun, run_tool
from tasks.trees import ensure_tree
from tests.tasks.measuring import cache, subject

LIMITS = Limits(memory_mb=256, file_mb=8, processes=50)


def python(code: str, *outputs: str, wall_s: float = 20.0) -> ToolRun:
    """Run code as a tool over a tree that holds solution.py alone."""
    return run_tool(
        ["/environment/bin/python", "-c", code],
        ensure_tree(subject("X = 1\n"), cache()),
        ensure_environment(Environment(), cache()),
        LIMITS,
        wall_s,
        outputs=outputs,
    )


def running(mark: str) -> bool:
    """Whether a process of this machine has the mark in its command line."""
    return any(mark.encode() in read(path) for path in Path("/proc").glob("[0-9]*/cmdline"))


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_files_streams_status_and_time_come_back() -> None:
    code = "import sys; open('a.txt', 'w').write(open('solution.py').read()); print('out')"
    run = python(code + "; print('\\nerr\\n', file=sys.stderr); sys.exit(3)", "a.txt", "b.txt")
    assert run.files == {"a.txt": b"X = 1\n"}
    assert (run.stdout, run.status, run.timed_out) == (b"out\n", 3, False)
    assert run.last_words == "err"
    assert 0 < run.seconds < 20


def test_what_it_writes_stays_out_of_the_tree() -> None:
    python("open('solution.py', 'w').write('X = 2'); open('more.py', 'w')")
    run = python("import os; print(os.listdir(), open('solution.py').read())")
    assert run.stdout == b"['solution.py'] X = 1\n\n"


def test_it_cannot_end_what_is_outside() -> None:
    with subprocess.Popen(["/bin/sleep", "60"]) as bystander:
        run = python("import os; os.kill(-1, 9)")
        alive = bystander.poll() is None
        bystander.kill()
    assert alive
    assert b"No such process" in run.stderr, "it sees nobody but itself and the immune pid 1"


def test_one_that_hangs_is_ended_with_all_it_started() -> None:
    sleep = "os.execv('/bin/sleep', ['/bin/sleep', '7391.25'])"
    code = f"import os\nif os.fork() == 0:\n    os.setsid()\n    {sleep}\nwhile True: pass"
    run = python(code, wall_s=1.0)
    assert run.timed_out
    assert 1.0 <= run.seconds < 15
    assert not running("7391.25")


def test_what_it_leaves_behind_is_ended() -> None:
    sleep = "os.execv('/bin/sleep', ['/bin/sleep', '7392.25'])"
    run = python(f"import os\nif os.fork() == 0:\n    os.setsid()\n    {sleep}")
    assert (run.status, run.timed_out) == (0, False)
    assert not running("7392.25")


def test_it_has_no_network_no_files_no_secret_and_no_rights(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"""
import os, socket
try:
    socket.create_connection(("127.0.0.1", {port}), 1)
    print("connected")
except OSError as error:
    print("no network")
print(os.environ.get("SECRET_KEY"), os.getuid())
print(os.path.exists("{__file__}"), os.path.exists("{tmp_path}"))
print([line for line in open("/proc/self/status") if line.startswith("CapEff")])
"""
        run = python(code)
    lines = run.stdout.decode().splitlines()
    assert lines[:3] == ["no network", "None 1000", "False False"]
    assert lines[3].replace("\\t", "").replace("\\n", "") == "['CapEff:0000000000000000']"


def test_memory_files_and_processes_are_capped() -> None:
    assert python("bytearray(600 << 20)").last_words == "MemoryError"
    flood = python("print('x' * (20 << 20), flush=True)")
    assert flood.last_words == "OSError: [Errno 27] File too large"
    code = """
import os, signal
count = 0
try:
    while True:
        if os.fork() == 0:
            signal.pause()
        count += 1
except OSError:
    print(count)
"""
    assert 10 < int(python(code).stdout) < 50


@pytest.mark.parametrize(
    "trick", ["os.symlink('/etc/passwd', 'out')", "os.mkfifo('out')", "os.mkdir('out')"]
)
def test_only_a_plain_file_is_brought_back(trick: str) -> None:
    run = python(f"import os; {trick}", "out")
    assert (run.status, run.files, run.timed_out) == (0, {}, False)


def test_a_tool_that_is_not_there_is_no_success() -> None:
    run = run_tool(
        ["/environment/bin/no-such-tool"],
        ensure_tree(subject("X = 1\n"), cache()),
        ensure_environment(Environment(), cache()),
        LIMITS,
        10.0,
    )
    assert run.status == 127
    assert "no-such-tool" in run.last_words or "FileNotFoundError" in run.last_words
