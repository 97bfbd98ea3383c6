"""A subject's own virtual environment: built by uv once per content, then only read.

Only wheels are installed and no installed code is run, not even to compile bytecode, since all
of it is a stranger's: it runs in the sandbox alone.
"""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from configs.errors import InfraError, KillgridError, NotFoundError
from tasks.bytecode import compile_all
from tasks.caching import locked, open_to_all, put
from tasks.packages import resolve, run_uv
from tasks.records import Environment, sha256

READY = "killgrid.json"


@dataclass(frozen=True)
class Interpreter:
    """A Python installation that environments link into."""

    executable: Path
    prefix: Path
    version: str


@dataclass(frozen=True)
class BuiltEnvironment:
    """A complete virtual environment; `versions` are those of Python and of every package.

    It may be mounted anywhere; `base_prefix`, the installation behind it, must stay in its place.
    """

    path: Path
    base_prefix: Path
    versions: tuple[tuple[str, str], ...]

    @property
    def bare_python(self) -> Path:
        """The installation's own interpreter, which knows none of the packages."""
        return self.base_prefix / "bin" / "python3"

    @property
    def python_version(self) -> str:
        return dict(self.versions)["python"]

    @property
    def python(self) -> Path:
        return self.path / "bin" / "python"

    @property
    def site_packages(self) -> Path:
        minor = ".".join(self.python_version.split(".")[:2])
        return self.path / "lib" / f"python{minor}" / "site-packages"


def ensure_environment(environment: Environment, cache: Path) -> BuiltEnvironment:
    """The environment, built if this machine's cache does not hold it yet.

    NotFoundError says which requirement or Python cannot be had, InfraError that the network or
    uv failed. Safe under concurrent callers of one machine; costs two file reads when built.
    """
    cache = cache.absolute()
    interpreter = find_interpreter(environment.python, cache)
    pins = resolve(environment.requirements, environment.python, cache)
    identity = "\n".join([interpreter.version, str(interpreter.executable), *pins])
    path = cache / "environments" / sha256(identity.encode())[:16]
    ready = path / READY
    if not ready.exists():
        with locked(path):
            if not ready.exists():
                _build(path, pins, interpreter, cache)
    return _read(ready)


def _read(ready: Path) -> BuiltEnvironment:
    facts = json.loads(ready.read_bytes())
    versions = tuple((name, version) for name, version in facts["versions"])
    return BuiltEnvironment(ready.parent, Path(facts["base_prefix"]), versions)


def _build(path: Path, pins: tuple[str, ...], interpreter: Interpreter, cache: Path) -> None:
    """Build in place; the ready file is written last."""
    shutil.rmtree(path, ignore_errors=True)
    plain = ["venv", "--quiet", "--relocatable", "--no-project", "--python"]
    run_uv([*plain, interpreter.executable, path], cache)
    site = next(path.glob("lib/python3*/site-packages"))
    if pins:
        # Exactly the pins: that they were resolved together makes a second look at needs idle.
        command = ["pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:"]
        command += ["--link-mode", "copy", "--python", str(path), "--requirements", "-"]
        run_uv(command, cache, "\n".join(pins) + "\n")
    compile_all(site, interpreter.executable, "unchecked-hash")
    open_to_all(path)
    facts = {"base_prefix": str(interpreter.prefix), "versions": _versions(site, interpreter)}
    put(path / READY, json.dumps(facts, indent=1).encode())


def _versions(site: Path, interpreter: Interpreter) -> list[tuple[str, str]]:
    found = importlib.metadata.distributions(path=[str(site)])
    packages = {each.metadata["Name"]: each.version for each in found}
    return [("python", interpreter.version), *sorted(packages.items())]


@lru_cache(maxsize=32)
def find_interpreter(python: str, cache: Path) -> Interpreter:
    """The Python of that version: the running one if it fits, else one that uv finds or fetches."""
    running = sys.version_info
    if python in (f"{running.major}.{running.minor}", "{}.{}.{}".format(*running[:3])):
        base: str = getattr(sys, "_base_executable", "") or sys.executable
        return _inspect(Path(base))
    try:
        found = run_uv(["python", "find", "--no-project", "--system", python], cache)
    except KillgridError as first:
        try:
            run_uv(["python", "install", python], cache)
            found = run_uv(["python", "find", "--no-project", "--managed-python", python], cache)
        except KillgridError as second:
            raise NotFoundError(
                f"no Python {python}: {first}; nor can uv fetch it: {second}"
            ) from None
    return _inspect(Path(found.strip()))


def _inspect(executable: Path) -> Interpreter:
    code = "import platform, sys; print(sys.base_prefix, platform.python_version(), sep='\\n')"
    real = executable.resolve()
    try:
        done = subprocess.run(
            [real, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise InfraError(f"{executable} cannot be run: {error}") from error
    prefix, version = done.stdout.splitlines()
    return Interpreter(real, Path(prefix).resolve(), version)
