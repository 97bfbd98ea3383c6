"""Environments: built once by uv, complete, readable by anyone, running nobody's code."""

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from configs.errors import NotFoundError
from tasks import environments
from tasks.environments import READY, ensure_environment
from tasks.records import Environment
from tests.tasks.packaging_helpers import make_wheel, shelf

__all__ = ["shelf"]

DEMO = Environment(requirements=("killgrid-demo",))


def test_it_holds_the_requirements_and_nothing_else(shelf: Path, tmp_path: Path) -> None:
    make_wheel(shelf, {"killgrid_demo.py": "X = 7\n"}, requires=["killgrid-need"])
    make_wheel(shelf, {"killgrid_need.py": ""}, name="killgrid-need", version="1.5")
    built = ensure_environment(DEMO, tmp_path / "cache")
    running = "{}.{}.{}".format(*sys.version_info[:3])
    assert built.versions == (
        ("python", running),
        ("killgrid-demo", "1.0"),
        ("killgrid-need", "1.5"),
    )
    assert json.loads((built.path / READY).read_text())["base_prefix"] == str(built.base_prefix)
    names = {path.name for path in built.site_packages.iterdir()}
    assert not names & {"pip", "setuptools", "wheel"}
    code = "import killgrid_demo, sys; print(killgrid_demo.X, sys.prefix, sys.base_prefix)"
    done = subprocess.run([built.python, "-c", code], capture_output=True, text=True, env={})
    assert done.stdout.split() == ["7", str(built.path), str(built.base_prefix)]


def test_bytecode_is_made_without_running_an_installed_file(shelf: Path, tmp_path: Path) -> None:
    witness = tmp_path / "ran"
    trap = f"import pathlib; pathlib.Path({str(witness)!r}).touch()\n"
    files = {"killgrid_demo.py": trap, "sitecustomize.py": trap, "killgrid.pth": trap}
    make_wheel(shelf, {**files, "broken.py": "def (\n"})
    built = ensure_environment(DEMO, tmp_path / "cache")
    assert (built.site_packages / "killgrid.pth").exists()
    cached = built.site_packages / "__pycache__"
    assert [path.name.split(".")[0] for path in sorted(cached.iterdir())] == [
        "killgrid_demo",
        "sitecustomize",
    ]
    assert not witness.exists()
    subprocess.run([built.python, "-c", ""], check=True, env={})
    assert witness.exists(), "the trap itself is not set"


def test_another_user_can_read_it_whatever_the_umask(shelf: Path, tmp_path: Path) -> None:
    make_wheel(shelf, {"killgrid_demo.py": "X = 7\n"})
    before = os.umask(0o077)
    try:
        built = ensure_environment(DEMO, tmp_path / "cache")
    finally:
        os.umask(before)
    for path in [built.path, *built.path.rglob("*")]:
        mode = path.stat().st_mode
        assert mode & 0o004, path
        assert mode & 0o001 or not path.is_dir(), path


def test_equal_pins_share_one_environment_and_other_pins_do_not(
    shelf: Path, tmp_path: Path
) -> None:
    make_wheel(shelf, {"killgrid_demo.py": ""})
    first = ensure_environment(DEMO, tmp_path)
    assert ensure_environment(Environment(requirements=("killgrid-demo==1.0",)), tmp_path) == first
    make_wheel(shelf, {"killgrid_demo.py": ""}, version="2.0")
    other = ensure_environment(Environment(requirements=("killgrid-demo==2.0",)), tmp_path)
    assert other.path != first.path


def test_a_half_built_one_is_built_again(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_wheel(shelf, {"killgrid_demo.py": ""})

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(environments, "compile_all", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ensure_environment(DEMO, tmp_path)
    (folder,) = (path for path in (tmp_path / "environments").iterdir() if path.is_dir())
    (folder / "leftover").touch()
    built = ensure_environment(DEMO, tmp_path)
    assert built.path == folder
    assert not (folder / "leftover").exists()


def _build(cache: str) -> tuple[str, float]:
    built = ensure_environment(DEMO, Path(cache))
    return str(built.path), (built.path / READY).stat().st_mtime_ns


def test_concurrent_callers_build_it_once(shelf: Path, tmp_path: Path) -> None:
    make_wheel(shelf, {"killgrid_demo.py": ""})
    with ProcessPoolExecutor(2) as pool:
        assert len(set(pool.map(_build, [str(tmp_path)] * 4))) == 1
    seen: set[tuple[str, float]] = set()
    threads = [
        threading.Thread(target=lambda: seen.add(_build(str(tmp_path / "t")))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 1


def test_the_default_environment_runs_pytest(tmp_path: Path) -> None:
    built = ensure_environment(Environment(), tmp_path)
    assert dict(built.versions).keys() >= {"python", "pytest", "hypothesis", "pluggy"}
    done = subprocess.run([built.python, "-m", "pytest", "--version"], capture_output=True)
    assert done.stdout.decode().strip() == f"pytest {dict(built.versions)['pytest']}"


def test_a_python_that_nobody_has_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_OFFLINE", "1")
    with pytest.raises(NotFoundError, match=r"^no Python 3\.99: .*$"):
        ensure_environment(Environment("3.99"), tmp_path)
