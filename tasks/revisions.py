"""Revisions of git repositories, read as they are stored: no checkout, no hook, no filter.

A revision is fetched into a bare repository of the cache, so the user's own is only read, and a
run can be resumed without it. Blobs are taken raw: export-ignore and line-end rules do not apply.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from configs.errors import InfraError, NotFoundError
from tasks.caching import locked
from tasks.entries import Entry, link, tree
from tasks.folders import SizeCap
from tasks.records import SourceFile, sha256

TIMEOUT_S = 900.0
# Nothing of the repository's or the user's own settings may start a program or ask a question.
_SETTINGS = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0")
_DROPPED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE")
_VARIABLES = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}


def read_revision(source: str, revision: str, base: Path, cache: Path) -> tuple[SourceFile, ...]:
    """Files of one commit, named by its full hash; `source` is a URL or a path relative to base."""
    local = (base / source).expanduser()
    place = str(local.resolve()) if local.exists() else source
    entry = cache / "git" / sha256(f"{place} {len(revision)}".encode())[:16]
    with locked(entry):
        if not _has(entry, revision):
            _fetch(entry, place, revision)
    return tree(_entries(entry, revision, f"{source} at {revision[:12]}"))


def _has(entry: Path, revision: str) -> bool:
    # ls-tree fails also on a commit whose trees did not arrive.
    return entry.exists() and _git(entry, "ls-tree", "-r", revision).returncode == 0


def _fetch(entry: Path, place: str, revision: str) -> None:
    entry.mkdir(parents=True, exist_ok=True)
    form = "sha256" if len(revision) == 64 else "sha1"
    _checked(entry, place, "init", "--quiet", "--bare", f"--object-format={form}", "--template=")
    single = _git(entry, "fetch", "--quiet", "--no-tags", "--depth=1", "--", place, revision)
    if single.returncode == 0:
        return
    # Some servers hand out branches and tags only.
    _checked(entry, place, "fetch", "--quiet", "--", place, "+refs/*:refs/fetched/*")
    if not _has(entry, revision):
        raise NotFoundError(f"git {place}: no commit {revision} can be reached from its branches")


def _checked(entry: Path, place: str, *arguments: str) -> None:
    done = _git(entry, *arguments)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
        fatal = [line for line in said if line.startswith("fatal:")] or said
        reason = fatal[0].removeprefix("fatal: ")
        if "not appear to be a git repository" in reason or "does not exist" in reason:
            raise NotFoundError(f"git {place}: {reason}")
        raise InfraError(f"git {place} cannot be fetched: {reason}")


def _git(entry: Path, *arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    variables = {k: v for k, v in os.environ.items() if k not in _DROPPED}
    variables.setdefault("GIT_SSH_COMMAND", "ssh -oBatchMode=yes")
    try:
        return subprocess.run(
            ["git", "--git-dir", ".", *_SETTINGS, *arguments],
            cwd=entry,
            env=variables | _VARIABLES,
            input=data,
            capture_output=True,
            timeout=TIMEOUT_S,
        )
    except FileNotFoundError as error:
        raise InfraError(f"git cannot be run: {error}") from error
    except subprocess.TimeoutExpired as error:
        raise InfraError(f"git {arguments[0]} took longer than {TIMEOUT_S:.0f} s") from error


def _entries(entry: Path, revision: str, what: str) -> Iterator[Entry]:
    listing = _git(entry, "ls-tree", "-r", "-z", "--long", revision).stdout
    cap = SizeCap(what)
    found: list[tuple[str, str, str]] = []
    for line in filter(None, listing.split(b"\0")):
        head, _, name = line.partition(b"\t")
        mode, kind, blob, size = head.decode().split()
        # Submodules are commits of other repositories.
        if kind == "blob":
            cap.add(os.fsdecode(name), int(size))
            found.append((os.fsdecode(name), mode, blob))
    contents = _contents(entry, [blob for _, _, blob in found])
    for (path, mode, _), data in zip(found, contents, strict=True):
        if mode == "120000":
            yield link(path, os.fsdecode(data))
        else:
            yield Entry(path, data, mode == "100755")


def _contents(entry: Path, blobs: list[str]) -> Iterator[bytes]:
    """Blobs in the order asked for."""
    # Each answer is a line of name, kind and size, then the data and a line end.
    stream = _git(entry, "cat-file", "--batch", data="\n".join([*blobs, ""]).encode()).stdout
    at = 0
    for _ in blobs:
        end = stream.index(b"\n", at)
        size = int(stream[at:end].split()[2])
        yield stream[end + 1 : end + 1 + size]
        at = end + 1 + size + 1
