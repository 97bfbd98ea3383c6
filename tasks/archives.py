"""Source archives of released packages: fetched once, verified, read without running any of it.

Archives are read in memory, never unpacked to disk, so that no member can escape its folder.
"""

from __future__ import annotations

import http.client
import io
import posixpath
import tarfile
import time
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from configs.errors import InfraError, NotFoundError
from tasks.caching import locked, put
from tasks.entries import Entry, link, tree
from tasks.folders import SizeCap
from tasks.packages import Release
from tasks.records import SourceFile, sha256

ATTEMPTS = 5
BACKOFF_S = 1.0
TIMEOUT_S = 60.0


def fetch_archive(release: Release, cache: Path) -> Path:
    """The archive in the cache, named by its hash; downloaded if it is not there yet."""
    if not release.sha256:
        raise NotFoundError(f"project {release.name}: its index gives no sha256 of the archive")
    entry = cache / "archives" / release.sha256
    with locked(entry):
        if not entry.exists():
            put(entry, _download(release))
    return entry


def _download(release: Release) -> bytes:
    reason = ""
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(BACKOFF_S * 2 ** (attempt - 1))
        try:
            with urllib.request.urlopen(release.url, timeout=TIMEOUT_S) as reply:
                data: bytes = reply.read()
        except urllib.error.HTTPError as error:
            reason = f"HTTP {error.code} {error.reason}"
            if error.code < 500 and error.code not in (408, 429):
                break
        except (OSError, http.client.HTTPException) as error:
            reason = str(getattr(error, "reason", "") or error)
        else:
            if sha256(data) == release.sha256:
                return data
            reason = f"its sha256 is {sha256(data)}, announced was {release.sha256}"
    raise InfraError(f"project {release.name}: {release.url} cannot be fetched: {reason}")


def read_archive(path: Path, what: str) -> tuple[SourceFile, ...]:
    """Files of a tar or zip archive without its one top folder; `what` names it in errors."""
    try:
        return _without_top(tree(_entries(path, what)))
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        reason = " ".join(str(error).split())
        raise NotFoundError(f"{what}: not a readable source archive: {reason}") from error


def _entries(path: Path, what: str) -> Iterator[Entry]:
    if zipfile.is_zipfile(path):
        yield from _zip_entries(path, what)
    else:
        yield from _tar_entries(path, what)


def _tar_entries(path: Path, what: str) -> Iterator[Entry]:
    cap = SizeCap(what)
    with tarfile.open(path) as archive:
        for info in archive:
            name = _inside(info.name, what)
            if info.isreg():
                cap.add(name, info.size)
                stream = archive.extractfile(info) or io.BytesIO()
                yield Entry(name, stream.read(), bool(info.mode & 0o100))
            elif info.issym():
                yield link(name, info.linkname)
            elif info.islnk():
                yield Entry(name, target=posixpath.normpath(info.linkname))
            elif not info.isdir():
                raise NotFoundError(f"{what}: {name} is neither file, folder nor link")


def _zip_entries(path: Path, what: str) -> Iterator[Entry]:
    cap = SizeCap(what)
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                name = _inside(info.filename, what)
                cap.add(name, info.file_size)
                yield Entry(name, archive.read(info), bool(info.external_attr >> 16 & 0o100))


def _inside(name: str, what: str) -> str:
    pure = PurePosixPath(name)
    if pure.is_absolute() or ".." in pure.parts or "\0" in name:
        raise NotFoundError(f"{what}: {name!r} would leave the archive's folder")
    return str(pure)


def _without_top(files: tuple[SourceFile, ...]) -> tuple[SourceFile, ...]:
    tops = {file.path.split("/")[0] for file in files}
    if len(tops) != 1 or not all("/" in file.path for file in files):
        return files
    return tuple(SourceFile(f.path.split("/", 1)[1], f.data, f.executable) for f in files)
