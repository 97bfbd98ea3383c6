"""The object store seam: whole immutable objects under keys with forward slashes.

Keys never begin with a dot or a slash, in any of their parts. A reader sees an object whole or not
at all; a writer that lost the race for a key is told so. Nothing is ever replaced, and nothing is
removed but what `killgrid compact --remove-old` finds superseded.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from configs.errors import ConfigError, InfraError, NotFoundError
from storage.keys import Keys, check_key, check_prefix


class ObjectStore(Protocol):
    """What every kind of store can do."""

    @property
    def uri(self) -> str:
        """Where the store is, in a form that `open_store` takes."""

    def object_uri(self, key: str) -> str:
        """What a Parquet reader opens: a path or URI."""

    def get(self, key: str) -> bytes:
        """The whole object; NotFoundError when there is none."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """Store an object whole and durably; False, and nothing changed, when the key is taken."""

    def exists(self, key: str) -> bool:
        """Whether there is an object under the key."""

    def list(self, prefix: str) -> Keys:
        """Sorted keys of all objects below a prefix, which is empty or ends with a slash."""

    def folders(self, prefix: str = "") -> Keys:
        """Sorted names one level below a prefix under which there may be objects."""

    def ages(self, prefix: str) -> dict[str, float]:
        """Seconds since each object below a prefix was put, by the store's own clock."""

    def remove(self, keys: Iterable[str]) -> None:
        """Remove objects, there or not. For what no reader needs any more."""


class LocalStore:
    """A store in a folder, made when first written to."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()

    @property
    def uri(self) -> str:
        return str(self.root)

    def object_uri(self, key: str) -> str:
        return str(self._path(key))

    def get(self, key: str) -> bytes:
        path = self._path(key)
        try:
            with _trouble("read", path):
                return path.read_bytes()
        except FileNotFoundError as error:
            raise NotFoundError(f"store {self.root}: there is no object {key}") from error

    def put_if_absent(self, key: str, data: bytes) -> bool:
        path = self._path(key)
        if path.exists():
            return False
        with _trouble("write", path), _durable(path, data) as temporary:
            try:
                os.link(temporary, path)
            except FileExistsError:
                return False
            finally:
                temporary.unlink(missing_ok=True)
        return True

    def exists(self, key: str) -> bool:
        return self._path(key).is_file()

    def list(self, prefix: str) -> Keys:
        return sorted(self._walk(self._folder(prefix)))

    def folders(self, prefix: str = "") -> Keys:
        folder = self._folder(prefix)
        with _trouble("list", folder):
            if not folder.is_dir():
                return []
            return sorted(e.name for e in folder.iterdir() if e.is_dir() and e.name[0] != ".")

    def ages(self, prefix: str) -> dict[str, float]:
        now = time.time()
        with _trouble("list", self._folder(prefix)):
            return {key: now - self._path(key).stat().st_mtime for key in self.list(prefix)}

    def remove(self, keys: Iterable[str]) -> None:
        for path in map(self._path, keys):
            with _trouble("remove", path):
                path.unlink(missing_ok=True)

    def _walk(self, folder: Path) -> Iterator[str]:
        with _trouble("list", folder):
            entries = list(folder.iterdir()) if folder.is_dir() else []
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir():
                yield from self._walk(entry)
            else:
                yield entry.relative_to(self.root).as_posix()

    def _folder(self, prefix: str) -> Path:
        return self._path(prefix[:-1]) if check_prefix(prefix) else self.root

    def _path(self, key: str) -> Path:
        if not check_key(key):
            raise ValueError(f"not a key of the store: {key!r}")
        return self.root / key


def open_store(uri: str, must_exist: bool = False, patience_s: float | None = None) -> ObjectStore:
    """The store at a path, `file://` URI or `s3://bucket/prefix` (see storage/s3_address.py).

    NotFoundError if it must exist and does not. `patience_s` is for how long trouble of S3 is
    waited out before it is an InfraError, if not a minute.
    """
    parts = urlsplit(uri)
    if parts.scheme == "s3":
        return _open_s3(uri, must_exist, patience_s)
    if "://" in uri and parts.scheme != "file":
        raise ConfigError(f"store {uri}: unknown kind {parts.scheme}://; name a folder or s3://")
    root = Path(unquote(parts.path)) if "://" in uri else Path(uri).expanduser()
    if root.exists() and not root.is_dir():
        raise ConfigError(f"store {uri}: not a folder")
    if must_exist and not root.exists():
        raise NotFoundError(f"store {uri}: there is no such folder")
    return LocalStore(root)


def _open_s3(uri: str, must_exist: bool, patience_s: float | None) -> ObjectStore:
    # Loading boto3 takes longer than most questions to a folder.
    from storage.s3_address import parse_address
    from storage.s3_store import S3Store

    store = S3Store(parse_address(uri), patience_s)
    if must_exist:
        store.check()
    return store


@contextmanager
def _durable(path: Path, data: bytes) -> Iterator[Path]:
    """A complete, synced temporary file beside `path`; the folder is synced after its use.

    Its name begins with a dot, so that a leftover of a killed process is never taken for an object.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
        _sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _trouble(verb: str, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if verb == "read" and isinstance(error, FileNotFoundError):
            raise
        raise InfraError(f"cannot {verb} {path}: {error.strerror or error}") from error
