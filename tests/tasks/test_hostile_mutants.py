"""Whatever a mutant does, its row is complete, and nothing beside it is harmed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tasks.measuring import Measured, measure, subject, suite

SOURCE = """\
def work(x):
    return x + 1


def other(x):
    return x * 2
"""
SUITE = """\
import solution


def test_before():
    assert solution.other(2) == 4


def test_work():
    assert solution.work(1) == 2


def test_after():
    assert solution.other(3) == 6
"""

# What the mutated body of work() does, and the outcomes its test may have.
HOSTILE = {
    "c_loop": (
        "import collections, itertools\n    collections.deque(itertools.repeat(0), 0)",
        "timeout",
    ),
    "python_loop": ("while True:\n        x += 1", "timeout"),
    "big_power": ("return len(str(7 ** (10 ** 9)))", "timeout"),
    "sleeps": ("import time\n    time.sleep(1000)", "timeout"),
    "stops_itself": ("import os, signal\n    os.kill(os.getpid(), signal.SIGSTOP)", "timeout"),
    "ignores_signals": (
        "import signal\n    for n in range(1, 32):\n        try:\n            signal.signal(n, signal.SIG_IGN)"
        "\n        except (OSError, ValueError):\n            pass\n    while True:\n        pass",
        "timeout",
    ),
    "deadlocks": (
        "import threading\n    lock = threading.Lock()\n    lock.acquire()\n    lock.acquire()",
        "timeout",
    ),
    "exit_zero": ("import os\n    os._exit(0)", "crashed"),
    "exit_seven": ("import os\n    os._exit(7)", "crashed"),
    "segfault": ("import ctypes\n    ctypes.string_at(0)", "crashed"),
    "aborts": ("import os\n    os.abort()", "crashed"),
    "kills_everything": ("import os\n    os.kill(-1, 9)", "failed"),
    "kills_its_group": ("import os\n    os.killpg(0, 9)", "crashed"),
    "alarm": (
        "import signal, time\n    signal.alarm(1)\n    time.sleep(0.9)\n    while True:\n        pass",
        "crashed timeout",
    ),
    "pytest_exit": ("import pytest\n    pytest.exit('enough')", "crashed"),
    "interrupts": ("raise KeyboardInterrupt", "crashed"),
    "sys_exit": ("import sys\n    sys.exit(0)", "failed"),
    "allocates": (
        "hoard = []\n    while True:\n        hoard.append(bytearray(10 ** 7))",
        "failed",
    ),
    "recursion": ("return work(x)", "failed"),
    "reads_stdin": ("return input()", "failed"),
    "big_file": ("open('/tmp/big', 'wb').write(bytes(2 * 10 ** 8))\n    return x + 1", "failed"),
    "fork_bomb": ("import os\n    while True:\n        os.fork()", "failed timeout crashed"),
    "raises_strangely": (
        "class E(Exception):\n        def __str__(self):\n            raise SystemError\n    raise E",
        "failed",
    ),
    "uncollectable_name": ("raise type('\\ud800', (Exception,), {})('\\ud800')", "failed"),
    "kills_its_parent": ("import os\n    os.kill(os.getppid(), 9)\n    return x + 1", "passed"),
    "floods": (
        "import os\n    for _ in range(50):\n        print('x' * 10 ** 6)\n        os.write(2, b'y' * 10 ** 6)\n    return x + 1",
        "passed",
    ),
    "daemon": (
        "import subprocess\n    subprocess.Popen(['sleep', '98765'], start_new_session=True)\n    return x + 1",
        "passed",
    ),
    "endless_thread": (
        "import threading, time\n    threading.Thread(target=time.sleep, args=(1000,)).start()\n    return x + 1",
        "passed",
    ),
    "closes_everything": (
        "import os\n    os.closerange(0, 4096)\n    return x + 1",
        "passed failed error",
    ),
    "deletes_its_folder": (
        "import os, shutil\n    shutil.rmtree(os.getcwd())\n    return x + 1",
        "passed failed error",
    ),
    "writes_into_the_tree": (
        "open('solution.py', 'w').write('broken(')\n    open('new.py', 'w').close()\n    return x + 1",
        "passed",
    ),
    "leaves_a_file": (
        "open('/tmp/left', 'x').close()\n    open('left', 'x').close()\n    open('/dev/shm/left', 'x').close()\n    return x + 1",
        "passed",
    ),
    "leaves_it_again": (
        "open('/tmp/left', 'x').close()\n    open('left', 'x').close()\n    open('/dev/shm/left', 'x').close()\n    return x + 1",
        "passed",
    ),
    "changes_folder": ("import os\n    os.chdir('/tmp')\n    return x + 1", "passed"),
    "clears_environment": (
        "import os\n    os.environ.clear()\n    return x + 1",
        "passed failed error",
    ),
    "spawns_itself": (
        "import os\n    if os.fork() == 0:\n        return x + 1\n    os.wait()\n    return x + 1",
        "passed",
    ),
}


def mutated(body: str) -> str:
    return SOURCE.replace("    return x + 1\n", f"    {body}\n")


@pytest.fixture(scope="module", params=["swap", "fresh"])
def measured(request: pytest.FixtureRequest) -> Measured:
    of = subject(SOURCE)
    mutants = {name: mutated(body) for name, (body, _) in HOSTILE.items()}
    mutants["harmless"] = SOURCE.replace("x + 1", "x + 2")
    return measure(of, suite(SUITE), mutants, strategy=request.param)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_mutant_gets_its_outcome_and_its_neighbours_theirs(
    measured: Measured, name: str
) -> None:
    row = measured.matrix()[name]
    assert row["test_work"] in HOSTILE[name][1].split()
    assert row["test_before"] == "passed"
    if HOSTILE[name][1] != "passed failed error":
        assert row["test_after"] == "passed"
    assert set(row) == {"test_before", "test_work", "test_after"}


def test_a_later_mutant_is_measured_as_if_nothing_had_happened(measured: Measured) -> None:
    assert measured.matrix()["harmless"] == {
        "test_before": "passed",
        "test_work": "failed",
        "test_after": "passed",
    }


def test_no_row_is_lost_to_a_hostile_mutant(measured: Measured) -> None:
    assert set(measured.matrix()) == {*HOSTILE, "harmless"}
    assert not {"lost_row", "station_lost"} & set(measured.events())


def test_no_process_outlives_its_mutant(measured: Measured) -> None:
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [line for line in lines if b"98765" in line]


def test_the_row_names_the_cause(measured: Measured) -> None:
    rows = {row.mutant_id: row for row in measured.result.rows}
    causes = {name: rows[f"m-{name}"].executions[1] for name in HOSTILE}
    assert causes["allocates"].exception == "MemoryError"
    assert causes["segfault"].exception == "SIGSEGV"
    assert causes["exit_seven"].message.endswith("7")
    assert "CPU time" in causes["c_loop"].message
    assert "wall time" in causes["sleeps"].message
