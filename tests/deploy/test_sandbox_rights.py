"""The sandbox starts with the rights that deploy/ gives a container, and not with fewer."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.parts import DEPLOY, ROOT
from tests.deploy.under_seccomp import library, unknown

PROFILE = DEPLOY / "seccomp.json"
DENIED = [name for group in json.loads(PROFILE.read_text())["syscalls"] for name in group["names"]]
# What bubblewrap, the stations and Ray call, by name.
NEEDED = (
    "clone clone3 unshare setns mount umount2 pivot_root sethostname capset prctl seccomp chroot"
)
UNDER = [sys.executable, str(ROOT / "tests/deploy/under_seccomp.py"), str(PROFILE)]
START = """
import sys
from pathlib import Path
from tasks.job import check_sandbox
print(check_sandbox(Path(sys.argv[1]))["python"])
"""
# Covers a part of /proc, as container runtimes do unless told not to.
COVERED = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "bash", "-ec"]


def has_libseccomp() -> bool:
    with contextlib.suppress(OSError):
        return library() is not None
    return False


seccomp = pytest.mark.skipif(not has_libseccomp(), reason="libseccomp is not here")
root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can cover parts of /proc")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)


def starting(cache: Path) -> list[str]:
    return [sys.executable, "-c", START, str(cache)]


@seccomp
def test_every_denied_call_is_a_call() -> None:
    assert len(DENIED) == len(set(DENIED)) > 40
    assert unknown(DENIED) == []


def test_no_call_that_makes_the_sandbox_is_denied() -> None:
    assert set(DENIED) & set(NEEDED.split()) == set()


@seccomp
def test_the_sandbox_starts_under_the_profile(cache: Path) -> None:
    done = run([*UNDER, *starting(cache)])
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("3.11.")


@seccomp
@pytest.mark.parametrize("call", ["keyctl", "io_uring_setup", "ptrace", "open_tree"])
def test_the_profile_denies_what_it_says(call: str) -> None:
    number = library().seccomp_syscall_resolve_name(call.encode())
    code = (
        "import ctypes, errno; libc = ctypes.CDLL(None, use_errno=True); "
        f"print(libc.syscall({number}, 0, 0, 0, 0, 0), errno.errorcode[ctypes.get_errno()])"
    )
    assert run([*UNDER, sys.executable, "-c", code]).stdout.split() == ["-1", "EPERM"]


@root
@pytest.mark.parametrize(("cover", "status"), [("true", 0), ("mount -t tmpfs x /proc/irq", 1)])
def test_a_proc_with_covers_is_what_keeps_the_sandbox_from_starting(
    cover: str, status: int, cache: Path
) -> None:
    words = " ".join(f"'{word}'" for word in starting(cache))
    done = run([*COVERED, f"{cover}; exec {words}"])
    assert (done.returncode, "mount proc" in done.stderr) == (status, bool(status)), done.stderr
