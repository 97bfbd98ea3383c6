from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cluster.ray_session import ray_session
from configs.errors import InfraError

ROOT = Path(__file__).parents[2]

PROGRAM = """
import os, sys, time
from cluster.ray_session import ray_session
with ray_session(cpus=1) as session:
    import ray
    @ray.remote
    def where():
        import tasks
        return tasks.__file__, os.getcwd(), ray.get_runtime_context().get_node_id()
    print("tasks:", ray.get(where.remote())[0], flush=True)
    print("ready", flush=True)
    sys.stdin.readline()
"""


def processes_of(folder: Path) -> list[int]:
    """Processes that have a file below the folder open."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/fd"):
        try:
            if any(str(link.readlink()).startswith(f"{folder}/") for link in entry.iterdir()):
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found


def start(tmp_path: Path, home: Path) -> tuple[subprocess.Popen[str], str]:
    """A driver in a project that has a package named as one of ours, once its Ray is up."""
    (tmp_path / "project" / "tasks").mkdir(parents=True)
    (tmp_path / "project" / "tasks" / "__init__.py").write_text("raise SystemExit('wrong one')")
    (tmp_path / "program.py").write_text(PROGRAM)
    home.mkdir()
    unset = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_ADDRESS")
    keep = {name: value for name, value in os.environ.items() if name not in unset}
    driver = subprocess.Popen(
        [sys.executable, str(tmp_path / "program.py")],
        cwd=tmp_path / "project",
        env=keep | {"HOME": str(home), "TMPDIR": "/tmp/"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert driver.stdout is not None
    line = driver.stdout.readline()
    assert driver.stdout.readline() == "ready\n"
    return driver, line


def session_folder(driver: subprocess.Popen[str]) -> Path:
    links = Path(f"/proc/{driver.pid}/fd").iterdir()
    files = [str(link.readlink()) for link in links]
    return Path(next(name for name in files if "/kg-ray-" in name).split("/session_")[0])


@pytest.mark.slow
def test_a_session_leaves_no_process_folder_or_token_and_imports_our_packages(
    tmp_path: Path,
) -> None:
    driver, line = start(tmp_path, tmp_path / "home")
    folder = session_folder(driver)
    driver.communicate("\n")
    assert driver.returncode == 0
    assert line == f"tasks: {ROOT}/tasks/__init__.py\n"
    assert not folder.exists()
    assert processes_of(folder) == []
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.slow
def test_a_killed_driver_leaves_no_process_and_no_folder(tmp_path: Path) -> None:
    driver, _ = start(tmp_path, tmp_path / "home")
    folder = session_folder(driver)
    assert len(processes_of(folder)) > 3
    driver.send_signal(signal.SIGKILL)
    driver.communicate()
    until = time.monotonic() + 10
    while folder.exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not folder.exists()
    assert processes_of(folder) == []


def test_no_cluster_at_an_address_is_one_line_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        pytest.raises(InfraError, match=r"no Ray cluster at nowhere://x: .*RAY_AUTH_MODE"),
        ray_session("nowhere://x"),
    ):
        pass
