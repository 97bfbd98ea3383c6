"""Python packages by name: the one file that calls uv, and what it says put in one line.

uv finds index, proxy, certificates and credentials in its own settings and environment variables;
nothing here names a host.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import uv

from configs.errors import InfraError, NotFoundError
from tasks.caching import locked, put
from tasks.records import sha256

DEFAULT_REQUIREMENTS = ("pytest", "hypothesis")
LOCK = Path(__file__).with_name("environment.lock")
LOCK_PYTHON = "3.11"
TIMEOUT_S = 900.0

# Active environments and projects of the user are no business of a subject's environment.
_DROPPED = ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME", "UV_PROJECT", "UV_PYTHON")
_NETWORK = re.compile(
    r"failed to (fetch|download|connect)|error sending request|client error|dns error|timed? ?out"
    r"|connection|network|certificate|server error|status code 5\d\d|too many requests",
    re.IGNORECASE,
)
_NO_WHEEL = re.compile(r"no (usable )?wheels|building (from )?source|building source", re.I)


@dataclass(frozen=True)
class Release:
    """Where one released source archive lies; `has_wheel` says if it can be installed unbuilt."""

    name: str
    version: str
    url: str
    sha256: str
    has_wheel: bool


def run_uv(arguments: Sequence[str | Path], cache: Path, text: str = "") -> str:
    """Standard output of one uv command, fed `text`.

    NotFoundError when what was asked for does not exist, InfraError when it cannot be reached.
    """
    cache.mkdir(parents=True, exist_ok=True)
    variables = {k: v for k, v in os.environ.items() if k not in _DROPPED}
    variables |= {"NO_COLOR": "1", "UV_NO_PROGRESS": "1"}
    try:
        done = subprocess.run(
            [uv.find_uv_bin(), *map(str, arguments)],
            input=text,
            capture_output=True,
            text=True,
            errors="replace",
            env=variables,
            # Not the user's folder, whose pyproject.toml might configure uv.
            cwd=cache,
            timeout=TIMEOUT_S,
        )
    except FileNotFoundError as error:
        raise InfraError(f"uv cannot be run: {error}") from error
    except subprocess.TimeoutExpired as error:
        raise InfraError(f"uv {arguments[0]} took longer than {TIMEOUT_S:.0f} s") from error
    if done.returncode == 0:
        return done.stdout
    reason = one_line(done.stderr)
    if _NETWORK.search(reason) or "network was disabled" in done.stderr:
        raise InfraError(f"packages cannot be reached: {reason}")
    raise NotFoundError(reason)


def one_line(stderr: str) -> str:
    """uv's error and its causes on one line, without hints and layout."""
    text = re.split(r"^\s*hint:", stderr, flags=re.MULTILINE)[0]
    text = re.split(r"^\s*\[?-*\s*stderr\]?\s*$", text, flags=re.MULTILINE)[0]
    parts = re.split(r"^\s*(?:error|cause|warning):", text, flags=re.MULTILINE)
    line = ": ".join(" ".join(part.split()).rstrip(":") for part in parts if part.strip())
    line = line or "no reason given"
    return line if len(line) <= 600 else line[:600] + " ..."


def lock_lines() -> tuple[str, ...]:
    """The pins kept in the repository: `name==version` each."""
    lines = (line.strip() for line in LOCK.read_text().splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


def resolve(requirements: Sequence[str], python: str, cache: Path) -> tuple[str, ...]:
    """Pins of these requirements and of all they need, found once and then kept in the cache.

    Versions of `environment.lock` are preferred wherever the requirements allow them.
    """
    check_lines(requirements)
    if python == LOCK_PYTHON and tuple(requirements) in (DEFAULT_REQUIREMENTS, lock_lines()):
        return lock_lines()
    entry = _entry(requirements, python, cache)
    with locked(entry):
        if not entry.exists():
            pins = _resolve(requirements, python, cache)
            put(entry, pins.encode())
            # Pins stand for themselves: whoever builds from them asks nobody again.
            put(_entry(pins.splitlines(), python, cache), pins.encode())
    return tuple(entry.read_text().splitlines())


def _entry(requirements: Sequence[str], python: str, cache: Path) -> Path:
    lines = [python, sys.platform, *lock_lines(), "", *requirements]
    return cache / "resolutions" / f"{sha256(chr(10).join(lines).encode())[:16]}.txt"


def _resolve(requirements: Sequence[str], python: str, cache: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        pins = Path(folder) / "pins.txt"
        # uv keeps the versions it finds in the output file: preferences, unlike constraints,
        # give way to what the subject asks for.
        pins.write_text("\n".join(lock_lines()) + "\n")
        command = ["pip", "compile", "--quiet", "--no-header", "--no-annotate"]
        command += ["--only-binary", ":all:", "--python-version", python]
        try:
            run_uv([*command, "--output-file", pins, "-"], cache, "\n".join(requirements) + "\n")
        except NotFoundError as error:
            raise NotFoundError(_explained(requirements, python, str(error))) from None
        return pins.read_text()


def _explained(requirements: Sequence[str], python: str, reason: str) -> str:
    text = f"environment ({', '.join(requirements)}; Python {python}): {reason}"
    if _NO_WHEEL.search(reason):
        text += (
            " Only wheels are installed, since building runs a stranger's code: name a version"
            " that has one, or build it yourself and set UV_FIND_LINKS to its folder."
        )
    return text


def check_lines(requirements: Sequence[str]) -> None:
    """Refuse lines that would be options of uv or several lines."""
    for line in requirements:
        if not line.strip() or line.strip().startswith(("-", "#")) or "\n" in line:
            raise NotFoundError(f"environment: {line!r} is not a requirement")


def find_release(requirement: str, python: str, cache: Path) -> Release:
    """The source archive of an exactly pinned release, such as idna==3.16; nothing is built."""
    check_lines([requirement])
    key = sha256(f"{python} {sys.platform} {requirement}".encode())
    entry = cache / "releases" / f"{key[:16]}.json"
    with locked(entry):
        if not entry.exists():
            put(entry, json.dumps(asdict(_find_release(requirement, python, cache))).encode())
    return Release(**json.loads(entry.read_bytes()))


def _find_release(requirement: str, python: str, cache: Path) -> Release:
    command = ["pip", "compile", "--quiet", "--no-deps", "--no-header", "--format", "pylock.toml"]
    try:
        text = run_uv([*command, "--python-version", python, "-"], cache, requirement + "\n")
    except NotFoundError as error:
        raise NotFoundError(f"project {requirement}: {error}") from None
    package = tomllib.loads(text)["packages"][0]
    archive = package.get("sdist")
    if archive is None:
        raise NotFoundError(f"project {requirement}: it was released without a source archive")
    url = archive.get("url") or (cache / archive["path"]).resolve().as_uri()
    digest = archive.get("hashes", {}).get("sha256", "")
    wheel = bool(package.get("wheels"))
    return Release(package["name"], str(package["version"]), url, digest, wheel)
