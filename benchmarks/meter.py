"""Owns what a command costs: user and system CPU time of it and all that it ever started.

wait4 would miss much of it: processes killed together with their pid namespace are reaped by the
kernel and credited to nobody. So a control group of its own counts for each command.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_numbers = itertools.count()
_PREFIX = "killgrid-bench-"
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Measured:
    """One command: CPU seconds (user + system) of its whole tree, wall seconds, how it ended.

    `machine_s` is what the machine was busy meanwhile, whoever caused it; it can only be more.
    """

    cpu_s: float
    wall_s: float
    machine_s: float
    returncode: int
    output: str


@dataclass(frozen=True)
class Meter:
    """`how` names the source of CPU times; `group` is None when only the whole machine counts."""

    how: str
    group: Path | None
    read: Callable[[Path], float] | None

    def run(
        self,
        command: Sequence[str | Path],
        *,
        timeout_s: float,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        watch: Callable[[Path | None], None] | None = None,
    ) -> Measured:
        """Run to the end and measure; TimeoutError after `timeout_s` seconds of wall time.

        `watch` is called about five times a second with the command's group while it runs.
        """
        with self._own_group() as folder, tempfile.TemporaryFile() as output:
            machine, began = machine_cpu_s(), time.monotonic()
            process = subprocess.Popen(
                list(map(str, command)),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env=env,
                start_new_session=True,
                preexec_fn=lambda: _enter(folder),
            )
            in_time = _attend(process, timeout_s, lambda: watch(folder) if watch else None)
            wall = time.monotonic() - began
            busy = machine_cpu_s() - machine
            cpu = self.read(folder) if folder and self.read else busy
            output.seek(0)
            text = output.read().decode("utf-8", "replace")
        if not in_time:
            raise TimeoutError(f"not done within {timeout_s:.0f} s: {text[-500:]}")
        return Measured(cpu, wall, busy, process.returncode, text)

    @contextlib.contextmanager
    def _own_group(self) -> Iterator[Path | None]:
        if self.group is None:
            yield None
            return
        folder = self.group / f"{_PREFIX}{os.getpid()}-{next(_numbers)}"
        folder.mkdir()
        try:
            yield folder
        finally:
            _empty(folder)


def make_meter() -> Meter:
    """The best meter this machine gives: a control group of either version, else all of it."""
    for how, mount, path in sorted(_groups(), reverse=True):
        group = Path(mount) / path.lstrip("/")
        if _can_make(group):
            return Meter(how, group, _read_v2 if how == "cgroup v2" else _read_v1)
    return Meter("whole machine (no control group can be made here)", None, None)


def own_cpu_s() -> Callable[[], float]:
    """A reader of what this process's own group has spent; for a command that a meter runs."""
    for how, mount, path in sorted(_groups(), reverse=True):
        folder = Path(mount) / path.lstrip("/")
        if folder.name.startswith(_PREFIX):
            read = _read_v2 if how == "cgroup v2" else _read_v1
            return lambda: read(folder)
    return time.process_time


def _groups() -> Iterator[tuple[str, str, str]]:
    """(version, where it is mounted, this process's group in it), where there is such a thing."""
    own = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        own.update(dict.fromkeys(controllers.split(","), path))
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, mount, kind, options = line.split()[:4]
        if kind == "cgroup2" and "" in own:
            yield "cgroup v2", mount, own[""]
        elif kind == "cgroup" and "cpuacct" in options.split(",") and "cpuacct" in own:
            yield "cgroup v1", mount, own["cpuacct"]


def _can_make(group: Path) -> bool:
    probe = group / f"{_PREFIX}{os.getpid()}-probe"
    try:
        probe.mkdir()
        probe.rmdir()
    except OSError:
        return False
    return True


def _enter(folder: Path | None) -> None:
    if folder is not None:
        (folder / "cgroup.procs").write_text("0")


def _read_v2(folder: Path) -> float:
    fields = dict(line.split() for line in (folder / "cpu.stat").read_text().splitlines())
    return int(fields["usage_usec"]) / 1e6


def _read_v1(folder: Path) -> float:
    return int((folder / "cpuacct.usage").read_text()) / 1e9


def processes(folder: Path) -> list[int]:
    """Process ids in a group."""
    return [int(line) for line in (folder / "cgroup.procs").read_text().split()]


def _attend(process: subprocess.Popen[bytes], timeout_s: float, look: Callable[[], None]) -> bool:
    """Wait for it; False if it had to be killed."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        try:
            process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            look()
        else:
            return True
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return False


def _empty(folder: Path) -> None:
    """End what the command left running, so that it is not charged to what runs next."""
    for _ in range(200):
        try:
            folder.rmdir()
        except OSError:
            for pid in processes(folder):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)
        else:
            return


def machine_cpu_s() -> float:
    """CPU seconds that all cores of this machine have spent on anything since it started."""
    fields = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    user, nice, system, _, _, irq, softirq = map(int, fields[:7])
    return (user + nice + system + irq + softirq) / _TICKS
