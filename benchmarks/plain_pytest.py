"""One plain pytest process per mutant: the slow way that needs no trust, to check the engine by.

A copy of the tree, the mutated file written into it, `python -m pytest` in bubblewrap. Nothing of
the engine is used. Rows are complete: after a test that hangs or ends its process, another process
goes on with those that are left.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.cases import Case, write_tree
from benchmarks.jail import PYTHON, WORK, Jail, cap
from configs.errors import InfraError
from tasks.environments import ensure_environment

Key = tuple[str, int]  # node id, and which of several tests with that id

PYTEST = (PYTHON, "-m", "pytest")
PLUGIN = Path(__file__).with_name("differential_report.py")
MEMORY_MB = 1024
COLLECT_S = 120.0
# Wall time before a test is taken to hang, and the same for a row that has hung before; each at
# least so many times what the test took on the correct code.
FIRST_HANG_S, NEXT_HANG_S, HANG_FACTOR = 10.0, 5.0, 30.0


@dataclass(frozen=True)
class Result:
    """Outcome of one test, and seconds of wall time where it ended by itself."""

    outcome: str
    seconds: float = 0.0


Row = dict[Key, Result]


@dataclass
class _Told:
    """What one process reported so far."""

    results: Row = field(default_factory=dict)
    begun: Key | None = None
    collect_failed: bool = False
    finished: bool = False


class PlainPytest:
    """Runs the mutants of one case; `baseline` is the row of the correct code."""

    def __init__(self, case: Case, cache: Path, folder: Path) -> None:
        """`folder` is an empty one for the tree, with the suite laid over it."""
        self._case = case
        self._pristine = folder / "pristine"
        write_tree(case, self._pristine)
        environment = ensure_environment(case.subject.environment, cache)
        self._jail = Jail(environment, {"/plugin/differential_report.py": PLUGIN})
        self.baseline: Row = {}
        self.baseline = self.row({})
        if not self.baseline:
            raise InfraError(f"{case.name}: plain pytest collects no test")

    def row(self, files: Mapping[str, bytes], patience_s: float = FIRST_HANG_S) -> Row:
        """All tests with these files in place of the tree's own."""
        found: Row = {}
        while True:
            told, hung = self._process(files, list(found), patience_s)
            found.update(told.results)
            if told.finished:
                return self._filled(found, "error" if told.collect_failed else "not_collected")
            ending = "timeout" if hung else "crashed"
            if told.begun is None:
                return self._filled(found, ending)
            found[told.begun] = Result(ending)
            patience_s = min(patience_s, NEXT_HANG_S) if hung else patience_s

    def _filled(self, found: Row, missing: str) -> Row:
        """The row with an outcome for each test that never began."""
        if not self.baseline:
            return found
        return {key: found.get(key, Result(missing)) for key in self.baseline}

    def _process(
        self, files: Mapping[str, bytes], done: list[Key], patience_s: float
    ) -> tuple[_Told, bool]:
        """One process over the tests that are not done; True if it had to be ended."""
        with tempfile.TemporaryDirectory(prefix="killgrid-plain-") as name:
            tree, channel = Path(name, "tree"), Path(name, "told")
            shutil.copytree(self._pristine, tree, symlinks=True)
            for path, data in files.items():
                (tree / path).write_bytes(data)
            channel.mkdir()
            report = channel / "report"
            report.touch()
            (channel / "done").write_text(json.dumps(done))
            command = self._jail.command(
                tree,
                PYTEST,
                variables(self._case, "-p", "differential_report"),
                {"/told": channel},
            )
            hung = self._attend(command, report, patience_s)
            return _read(report), hung

    def _attend(self, command: list[str], report: Path, patience_s: float) -> bool:
        """Run the command; True if a test, or collection, took too long and it was ended."""
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=lambda: cap(MEMORY_MB),
        )
        size, since = 0, time.monotonic()
        try:
            while True:
                try:
                    process.wait(timeout=0.05)
                except subprocess.TimeoutExpired:
                    now, grown = time.monotonic(), report.stat().st_size
                    if grown != size:
                        size, since = grown, now
                    elif now - since > self._limit_s(report, patience_s):
                        return True
                else:
                    return False
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _limit_s(self, report: Path, patience_s: float) -> float:
        begun = _read(report).begun
        if begun is None or not self.baseline:
            return COLLECT_S
        usual = self.baseline[begun].seconds if begun in self.baseline else 0.0
        return max(patience_s, HANG_FACTOR * usual)


def _read(report: Path) -> _Told:
    told = _Told()
    for line in report.read_text().splitlines():
        event = json.loads(line)
        if "begun" in event:
            told.begun = _key(event["begun"])
        elif "ended" in event:
            told.begun = None
            told.results[_key(event["ended"])] = Result(event["outcome"], event["seconds"])
        elif "collect_error" in event:
            told.collect_failed = True
        elif "finished" in event:
            told.finished = True
    return told


def _key(told: list[object]) -> Key:
    nodeid, count = told
    return str(nodeid), int(str(count))


def variables(case: Case, *options: str) -> dict[str, str]:
    """What PYTEST is told beside the sandbox's own variables: the suite, no inherited options.

    Through the environment, so that `sys.argv`, which code under test may read, is bare.
    """
    words = ["-q", "-o", "addopts=", "-p", "no:cacheprovider", f"--rootdir={WORK}", *options]
    words += [word for plugin in case.subject.plugins for word in ("-p", plugin)]
    roots = [f"{WORK}/{root}".rstrip("/") for root in case.subject.import_roots]
    return {
        "PYTEST_ADDOPTS": shlex.join([*words, *case.subject.pytest_args, *case.suite.paths]),
        "PYTHONPATH": os.pathsep.join([*roots, "/plugin"]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "DIFFERENTIAL_REPORT": "/told/report",
        "DIFFERENTIAL_DONE": "/told/done",
    }
