"""No row sees what another one wrote, whether or not its view is made anew."""

from __future__ import annotations

import pytest

from tasks.records import SourceFile
from tests.tasks.measuring import Measured, measure, subject, suite

SOURCE = "def work(x):\n    return x + 1\n\n\ndef other(x):\n    return x * 2\n"
HEAD = "import os, pathlib\nimport solution\nfrom solution import other, work\n"
RIGHT = "\ndef test_right():\n    assert work(1) == 2 and other(2) == 4\n"
# Both functions' mutants, and some that no test notices, so that rows of every kind are neighbours.
MUTANTS: dict[str, str | bytes] = {
    "minus": SOURCE.replace("x + 1", "x - 1"),
    "same": SOURCE.replace("x + 1", "1 + x"),
    "thrice": SOURCE.replace("x * 2", "x * 3"),
    "swapped": SOURCE.replace("x * 2", "2 * x"),
    "plus_two": SOURCE.replace("x + 1", "x + 2"),
}
WRITES = {
    "tmp": "path = pathlib.Path('/tmp/kept')\n    assert not path.exists()\n    path.touch()",
    "folder": "path = pathlib.Path('/tmp/home/kept')\n    path.mkdir()",
    "tree": "path = pathlib.Path('/work/kept')\n    assert not path.exists()\n    path.touch()",
    "memory": "path = pathlib.Path('/dev/shm/kept')\n    assert not path.exists()\n"
    "    path.touch()",
    "data": "path = pathlib.Path('/work/data.txt')\n    assert path.read_text() == 'abc'\n"
    "    path.write_text('xyz')",
    "gone": "os.remove('/work/data.txt')",
    "mode": "assert os.stat('/tmp').st_mode & 0o1000\n    os.chmod('/tmp', 0o777)",
    "link": "os.link('/work/solution.py', '/work/twin.py')",
    "source": "path = pathlib.Path('/work/solution.py')\n    text = path.read_text()\n"
    "    assert 'spoiled' not in text\n    path.write_text(text + '# spoiled')",
    "deep": "os.chdir('/tmp')\n    for _ in range(3000):\n"
    "        os.mkdir('deeper')\n        os.chdir('deeper')",
    "flood": "for n in range(2_000):\n        open(f'/tmp/{n}', 'x').close()",
    "closed": "os.mkdir('/tmp/shut')\n    os.mkdir('/tmp/shut/in')\n    os.chmod('/tmp/shut', 0)",
    "replaced": "path = pathlib.Path('/work/solution.py')\n    text = path.read_text()\n"
    "    assert 'other' in text\n    path.unlink()\n    path.write_text('')",
}
FILES = (SourceFile("solution.py", SOURCE.encode()), SourceFile("data.txt", b"abc"))


def run(body: str, strategy: str, **settings: object) -> Measured:
    source = f"{HEAD}{RIGHT}\ndef test_writes():\n    {body}\n"
    of = subject(SOURCE, files=FILES)
    return measure(of, suite(source), MUTANTS, strategy=strategy, **settings)


@pytest.mark.parametrize("strategy", ["swap", "fresh"])
@pytest.mark.parametrize("name", WRITES)
def test_what_a_row_writes_is_gone_in_the_next(name: str, strategy: str) -> None:
    measured = run(WRITES[name], strategy)
    assert measured.dropped() == {}
    rows = measured.matrix()
    assert {row["test_writes"] for row in rows.values()} == {"passed"}
    killed = {mutant for mutant, row in rows.items() if row["test_right"] == "failed"}
    assert killed == {"minus", "thrice", "plus_two"}


def test_a_row_of_many_children_gives_each_its_own_view() -> None:
    body = WRITES["tmp"].replace("path.touch()", "path.touch()\n    os._exit(0)")
    source = f"{HEAD}{RIGHT}\ndef test_one():\n    {body}\n\ndef test_two():\n    {body}\n"
    measured = measure(subject(SOURCE), suite(source), {"same": MUTANTS["same"]})
    told = {test.nodeid[-8:]: test.baseline_outcomes for test in measured.validation.tests}
    assert told["test_one"] == told["test_two"] == ("crashed", "crashed")


@pytest.mark.parametrize("strategy", ["swap", "fresh"])
def test_every_row_finds_its_own_source_on_disk(strategy: str) -> None:
    body = (
        "import subprocess, sys\n    line = 'import solution as s; print(s.work(1), s.other(2))'\n"
        "    said = subprocess.run([sys.executable, '-c', line], capture_output=True, text=True)\n"
        "    assert said.stdout == f'{work(1)} {other(2)}\\n'"
    )
    measured = run(body, strategy)
    assert {row["test_writes"] for row in measured.matrix().values()} == {"passed"}


def test_a_view_that_nothing_was_written_to_is_used_again() -> None:
    show = "raise ValueError(os.stat('/dev/shm').st_ctime_ns)"  # when its view was made
    for extra, views in (("", 1), ("pathlib.Path('/tmp/kept').touch()\n    ", 5)):
        source = f"{HEAD}{RIGHT}\ndef test_shows():\n    {extra}{show}\n"
        rows = measure(subject(SOURCE), suite(source), MUTANTS, select="all").result.rows
        assert len({row.executions[1].message for row in rows}) == views
