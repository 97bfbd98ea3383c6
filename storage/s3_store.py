"""The store on S3: whole objects, each put once, whatever the network does meanwhile."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from configs.errors import ConfigError, InfraError, KillgridError, NotFoundError
from storage.keys import Keys, check_key, check_prefix
from storage.s3 import Bucket, Page
from storage.s3_address import S3Address
from storage.s3_retries import Gone, Passing, Persistence, Taken
from tasks.records import sha256

T = TypeVar("T")
Parts = list[dict[str, Any]]

# Objects above this go in parts, so that a failure costs a part and not the whole.
PART_BYTES = 32 * 2**20
PARTS_AT_ONCE = 4
UPLOADS = 4
REMOVED_AT_ONCE = 1000
# A name with a dot is no object of the store; it shows whether the server minds If-None-Match.
PROBE = ".killgrid-if-none-match"


class S3Store:
    """A store below a prefix of a bucket that is there already. Safe to use from many threads."""

    def __init__(self, address: S3Address, patience_s: float | None = None) -> None:
        self.bucket = Bucket(address)
        self.persistence = Persistence() if patience_s is None else Persistence(patience_s)
        self.part_bytes = PART_BYTES
        self.address = address
        self._checking = threading.Lock()
        self._conditional = False

    @property
    def uri(self) -> str:
        return self.address.uri

    def object_uri(self, key: str) -> str:
        return f"s3://{self.address.bucket}/{self._name(key)}"

    def get(self, key: str) -> bytes:
        name = self._name(key)
        try:
            return self._persist("get", key, lambda _: _whole(*self.bucket.get(name)))
        except Gone as error:
            raise NotFoundError(f"store {self.uri}: there is no object {key}") from error

    def put_if_absent(self, key: str, data: bytes) -> bool:
        self._name(key)
        self._check_conditional()
        # Who put it: after an answer that was lost, the object in the way may be our own.
        marks = {"sha256": sha256(data), "put": secrets.token_hex(8)}
        if len(data) > self.part_bytes:
            return self._put_parts(key, data, marks)
        return self._persist("put", key, lambda unsure: self._put(key, data, marks, unsure))

    def exists(self, key: str) -> bool:
        return self._marks(key) is not None

    def list(self, prefix: str) -> Keys:
        return sorted(self.ages(prefix))

    def folders(self, prefix: str = "") -> Keys:
        names = (name for page in self._pages(prefix, folders=True) for name in page.folders)
        short = (name.rstrip("/").rpartition("/")[2] for name in names)
        return sorted(name for name in short if name and name[0] != ".")

    def ages(self, prefix: str) -> dict[str, float]:
        cut = len(self.address.prefix)
        found = (
            (name[cut:], age) for page in self._pages(prefix) for name, age in page.ages.items()
        )
        return {key: age for key, age in found if check_key(key)}

    def remove(self, keys: Iterable[str]) -> None:
        names = [self._name(key) for key in keys]
        for first in range(0, len(names), REMOVED_AT_ONCE):
            some = names[first : first + REMOVED_AT_ONCE]
            what = f"{len(some)} objects"
            self._persist("remove", what, lambda _, some=some: self.bucket.remove(some))

    def check(self) -> None:
        """NotFoundError when there is no such bucket, or nothing in the store."""
        if not any(page.ages for page in self._pages("")):
            raise NotFoundError(f"store {self.uri}: there is nothing in it")

    def _put(self, key: str, data: bytes, marks: Mapping[str, str], unsure: bool) -> bool:
        try:
            self.bucket.put(self._name(key), data, marks)
        except Taken:
            return unsure and self._is_ours(key, marks)
        return True

    def _put_parts(self, key: str, data: bytes, marks: Mapping[str, str]) -> bool:
        for _ in range(UPLOADS):
            if self.exists(key):
                return self._is_ours(key, marks)
            upload = self._persist("put", key, lambda _: self.bucket.begin(self._name(key), marks))
            done = None
            try:
                done = self._complete(key, upload, self._parts(key, upload, data), marks)
            finally:
                if not done:
                    self._abort(key, upload)
            if done is not None:
                return done
        raise InfraError(f"store {self.uri}: cannot put {key}: {UPLOADS} uploads were undone")

    def _parts(self, key: str, upload: str, data: bytes) -> Parts:
        name, size = self._name(key), self.part_bytes

        def send(number: int) -> dict[str, Any]:
            part = data[(number - 1) * size : number * size]
            return self._persist(
                "put", key, lambda _: self.bucket.put_part(name, upload, number, part)
            )

        with ThreadPoolExecutor(PARTS_AT_ONCE) as pool:
            return [*pool.map(send, range(1, -(-len(data) // size) + 1))]

    def _complete(
        self, key: str, upload: str, parts: Parts, marks: Mapping[str, str]
    ) -> bool | None:
        """Whether the object there is ours; None when all parts have to be sent again."""

        def complete(_unsure: bool) -> bool | None:
            # Servers that do not know the condition on a completion overwrite: look once more.
            if self.exists(key):
                return self._is_ours(key, marks)
            try:
                self.bucket.complete(self._name(key), upload, parts)
            except Taken:
                return self._is_ours(key, marks)
            except Gone:
                # Completed by an attempt whose answer was lost, or undone by somebody.
                return self._is_ours(key, marks) or None
            except Passing as trouble:
                if trouble.unsure:
                    raise
                return None
            return True

        return self._persist("put", key, complete)

    def _abort(self, key: str, upload: str) -> None:
        """Best effort: parts that stay are no object; a lifecycle rule of the bucket ends them."""
        with suppress(Passing, Gone, KillgridError):
            self.bucket.abort(self._name(key), upload)

    def _check_conditional(self) -> None:
        """ConfigError when the server takes a put over an object that is there."""
        with self._checking:
            for _ in range(2):
                if self._conditional:
                    return
                self._conditional = not self._persist("put", PROBE, self._put_probe)
            if self._conditional:
                return
        raise ConfigError(
            f"store {self.uri}: the server ignores If-None-Match, so that two drivers could "
            "overwrite each other's results; take one with conditional writes"
        )

    def _put_probe(self, _unsure: bool) -> bool:
        try:
            self.bucket.put(self.address.prefix + PROBE, b"", {})
        except Taken:
            return False
        return True

    def _is_ours(self, key: str, marks: Mapping[str, str]) -> bool:
        there = self._marks(key)
        return there is not None and there.get("put") == marks["put"]

    def _marks(self, key: str) -> Mapping[str, str] | None:
        """An object's metadata; None when there is no object."""
        name = self._name(key)
        try:
            return self._persist("look for", key, lambda _: self.bucket.head(name))
        except Gone:
            return None

    def _pages(self, prefix: str, folders: bool = False) -> Iterator[Page]:
        start = self.address.prefix + check_prefix(prefix)
        following = ""
        while True:
            page = self._persist(
                "list", prefix, lambda _, at=following: self.bucket.page(start, at, folders)
            )
            yield page
            following = page.following
            if not following:
                return

    def _persist(self, verb: str, key: str, call: Callable[..., T]) -> T:
        return self.persistence.run(f"store {self.uri}: cannot {verb} {key}".rstrip(), call)

    def _name(self, key: str) -> str:
        if not check_key(key):
            raise ValueError(f"not a key of the store: {key!r}")
        return self.address.prefix + key


def _whole(data: bytes, marks: Mapping[str, str]) -> bytes:
    if marks.get("sha256", "") not in ("", sha256(data)):
        raise Passing("what came is not what was put", unsure=False)
    return data
