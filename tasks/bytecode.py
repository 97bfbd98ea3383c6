"""Bytecode of environments, trees and our own code in the sandbox: compiled ahead, without running
any of it.

A tree's bytecode is valid for exactly the source it was made from: Python compares a hash of the
source at each import, so a mutated file is always compiled anew and never served from here.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Literal

from configs.errors import InfraError
from tasks.caching import build_once, open_to_all
from tasks.records import Subject, sha256
from tasks.trees import write_files

_COMPILE_TIMEOUT_S = 900.0
_WORTHWHILE_BYTES = 50_000  # below that, compiling costs less than looking
SANDBOX_CODE = Path(__file__).parent / "sandbox"


def compile_all(
    folder: Path, executable: Path, mode: Literal["unchecked-hash", "checked-hash"]
) -> None:
    """Bytecode beside every source below a folder, by a bare Python that runs none of it.

    The environment's own Python would run .pth files, and those are a stranger's code.
    """
    command = [str(executable), "-I", "-S", "-m", "compileall", "-qq", "-j", "2"]
    command += ["--invalidation-mode", mode, str(folder)]
    try:
        # Exit status 1 means that some file does not parse: packages ship such files as data.
        done = subprocess.run(command, capture_output=True, timeout=_COMPILE_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InfraError(f"compiling {folder} failed: {error}") from error
    if done.returncode not in (0, 1):
        raise InfraError(
            f"compiling {folder} failed: {done.stderr.decode(errors='replace')[-300:]}"
        )


@lru_cache
def ensure_sandbox_code(executable: Path, version: str, cache: Path) -> Path:
    """Our code that runs in the sandbox, with bytecode for an interpreter that may not write any.

    Compiling it anew takes a tenth of a host's start, and a little of every recheck.
    """
    files = sorted(p for p in SANDBOX_CODE.rglob("*") if p.is_file() and p.suffix != ".pyc")
    content = sha256("".join(f"{path.name} {sha256(path.read_bytes())}" for path in files).encode())
    place = cache.absolute() / "sandbox" / f"{content[:16]}-{version}"

    def build(fresh: Path) -> None:
        shutil.copytree(SANDBOX_CODE, fresh, ignore=shutil.ignore_patterns("__pycache__"))
        compile_all(fresh, executable, "unchecked-hash")
        open_to_all(fresh)

    build_once(place, build)
    return place


@lru_cache(maxsize=256)
def _ensure(subject: Subject, executable: Path, version: str, cache: Path) -> str:
    name = f"{subject.tree_sha256}-{version}"
    sources = tuple(file for file in subject.files if file.path.endswith(".py"))

    def build(fresh: Path) -> None:
        write_files(fresh, sources)
        compile_all(fresh, executable, "checked-hash")
        for file in sources:
            (fresh / file.path).unlink()
        write_files(fresh, ())

    build_once(cache.absolute() / "trees" / name, build)
    return name


def ensure_bytecode(subject: Subject, executable: Path, version: str, cache: Path) -> str:
    """Name of the folder below `trees` that holds the tree's bytecode; '' where it does not pay."""
    size = sum(len(file.data) for file in subject.files if file.path.endswith(".py"))
    return _ensure(subject, executable, version, cache) if size > _WORTHWHILE_BYTES else ""
