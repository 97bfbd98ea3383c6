"""The engine `mutmut`: any release of it, run as a library in a process of its own.

The harness's release runs under the harness's Python, any other in an environment kept in the
cache. One process a release stays and answers file after file, since importing takes 0.6 s. Its
answers are kept: a mutant takes some milliseconds, and every plan and every resumed run asks again.
"""

from __future__ import annotations

import atexit
import bisect
import importlib.metadata
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from configs.errors import ConfigError, InfraError, NotFoundError
from tasks.caching import build_once, put
from tasks.decoding import SourceText, decode_source, split_lines
from tasks.drafts import Draft, Drafts, Skipped
from tasks.mutmut_skips import skipped_code
from tasks.packages import run_uv
from tasks.records import Subject, sha256

if TYPE_CHECKING:
    from configs.schema import MutantsConfig

SCRIPT = Path(__file__).with_name("mutmut_script.py")
OLDEST = (3, 3)
_VERSION = re.compile(r"(\d+)\.(\d+)[A-Za-z0-9.+_-]*")


def mutmut_drafts(subject: Subject, config: MutantsConfig, base: Path, cache: Path) -> Drafts:
    """What `mutmut run` makes of each target, in its order, each change alone in its file."""
    version = config.version or _installed("mutmut")
    python = interpreter(version, cache)
    drafts: list[Draft] = []
    skipped: list[Skipped] = []
    for path in subject.targets:
        source = decode_source(subject.source(path))
        answer = _answer(python, {"path": path, "text": source.text}, cache)
        if "error" in answer:
            raise ConfigError(
                f"subject {subject.name}: mutmut {answer['version']} fails on {path}: "
                f"{' '.join(answer['error'].split())}"
            )
        if "unreadable" in answer:
            skipped.append(Skipped(path, 1, "<module>", f"mutmut: {answer['unreadable']}"))
            continue
        made, left = _drafts(path, source, answer)
        drafts += made
        skipped += left
    return Drafts(tuple(drafts), tuple(skipped))


def _answer(python: Path, request: dict[str, Any], cache: Path) -> dict[str, Any]:
    """What a release makes of a file, from the cache if it was asked before; no error is kept."""
    asked = json.dumps([sha256(SCRIPT.read_bytes()), request])
    kept = answers_folder(python, cache) / f"{sha256(asked.encode())}.json"
    if kept.exists():
        answer: dict[str, Any] = json.loads(kept.read_bytes())
        return answer
    answer = _process(python).ask(request)
    if "error" not in answer:
        put(kept, json.dumps(answer).encode())
    return answer


def answers_folder(python: Path, cache: Path) -> Path:
    """Where the answers of one release are kept, as made with one libcst under one Python."""
    if python != Path(sys.executable):
        return python.parents[1] / "answers"
    versions = "-".join(f"{name}-{_installed(name)}" for name in ("mutmut", "libcst"))
    return cache.absolute() / "mutmut" / f"{versions}-{sys.implementation.cache_tag}"


@lru_cache
def _installed(name: str) -> str:
    return importlib.metadata.version(name)


def _drafts(
    path: str, source: SourceText, answer: dict[str, Any]
) -> tuple[list[Draft], list[Skipped]]:
    text, version = source.text, answer["version"]
    ends = list(itertools.accumulate(map(len, split_lines(text))))
    drafts, unwritten, lines = [], [], []
    for name, operator, start, end, new in answer["mutants"]:
        lines.append(bisect.bisect_right(ends, start) + 1)
        try:
            data = source.encode(text[:start] + new + text[end:])
        except UnicodeEncodeError:
            reason = f"mutant {operator} cannot be written in {source.encoding}"
            unwritten.append(Skipped(path, lines[-1], name, reason))
            continue
        drafts.append(Draft("mutmut", version, name, path, data, operator))
    return drafts, [*skipped_code(path, text, lines, answer["rules"]), *unwritten]


def interpreter(version: str, cache: Path) -> Path:
    """A Python that has this release of mutmut; built once, NotFoundError if there is none."""
    if version == _installed("mutmut"):
        return Path(sys.executable)
    numbers = _VERSION.fullmatch(version)
    if numbers is None:
        raise ConfigError(f"mutants: engine mutmut: {version!r} is not a version")
    if tuple(map(int, numbers.groups())) < OLDEST:
        raise ConfigError(f"mutants: mutmut {version} is too old; 3.3 is the first that works here")
    python = "{}.{}".format(*sys.version_info)
    entry = cache / "mutmut" / f"mutmut-{version}-python-{python}"
    build_once(entry, lambda fresh: _build(fresh, version, cache))
    return entry / "bin" / "python"


def _build(folder: Path, version: str, cache: Path) -> None:
    try:
        run_uv(["venv", "--quiet", "--python", sys.executable, folder], cache)
        python = folder / "bin" / "python"
        install = ["pip", "install", "--quiet", "--only-binary", ":all:", "--python", str(python)]
        run_uv([*install, f"mutmut=={version}"], cache)
    except NotFoundError as error:
        raise NotFoundError(f"mutants: mutmut {version} cannot be had: {error}") from None


class _Process:
    """A running script; it ends by itself when this process does, its stdin being closed then."""

    def __init__(self, python: Path) -> None:
        self._lock = threading.Lock()
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        # -I: neither the user's environment variables nor this folder decide what is imported.
        self._child = subprocess.Popen(
            [python, "-I", SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
        )

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request; InfraError with its last words if the process has died."""
        assert self._child.stdin
        assert self._child.stdout
        with self._lock:
            try:
                self._child.stdin.write(json.dumps(request) + "\n")
                self._child.stdin.flush()
                line = self._child.stdout.readline()
            except BrokenPipeError:
                line = ""
        if not line:
            raise InfraError(f"mutants: the process of mutmut has died: {self._last_words()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _last_words(self) -> str:
        code = self._child.wait()
        self._stderr.seek(0)
        lines = self._stderr.read().decode(errors="replace").split("\n")
        return next((line for line in reversed(lines) if line.strip()), f"exit status {code}")

    def alive(self) -> bool:
        return self._child.poll() is None

    def close(self) -> None:
        for stream in (self._child.stdin, self._child.stdout, self._stderr):
            if stream:
                stream.close()
        self._child.wait()


# By process id too: a fork must not share its parent's pipes.
_processes: dict[tuple[int, Path], _Process] = {}
_processes_lock = threading.Lock()


def _process(python: Path) -> _Process:
    key = (os.getpid(), python)
    with _processes_lock:
        if not _processes:
            atexit.register(close_processes)
        found = _processes.get(key)
        if found is None or not found.alive():
            _processes[key] = found = _Process(python)
        return found


def close_processes() -> None:
    """End the processes this one started; the next subject starts them again."""
    with _processes_lock:
        for key in [key for key in _processes if key[0] == os.getpid()]:
            _processes.pop(key).close()
