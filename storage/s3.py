"""One request to an S3 bucket at a time. The only file with boto3; s3_meanings.py has its errors.

boto3's own retries are off: whether a request is sent again is decided in storage/s3_retries.py.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import boto3  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]

from storage.s3_address import S3Address
from storage.s3_meanings import ALL, meaning
from storage.s3_retries import Passing

CONNECT_S, READ_S = 5, 30
CONNECTIONS = 32


@dataclass(frozen=True)
class Page:
    """A page of a listing: names with their age in seconds by the server's clock, and folders."""

    ages: dict[str, float]
    folders: tuple[str, ...]
    following: str


@dataclass(frozen=True)
class Access:
    """What other S3 clients need to read the bucket; `repr` hides the secrets."""

    endpoint_url: str
    region: str
    path_style: bool
    keys: tuple[str, str, str] | None

    def __repr__(self) -> str:
        return f"Access({self.endpoint_url!r}, {self.region!r})"


class Bucket:
    """A bucket's requests. `name` is the whole key, prefix and all. Safe in many threads.

    They raise Taken, Gone, Passing, or an error for the user.
    """

    def __init__(self, address: S3Address) -> None:
        self.address = address
        with self._explained("open"):
            self._session = boto3.session.Session()
            self._client = _client(self._session, address)
        self._bucket = address.bucket

    def get(self, name: str) -> tuple[bytes, Mapping[str, str]]:
        """An object and its metadata."""
        with self._explained("get"):
            answer = self._client.get_object(Bucket=self._bucket, Key=name)
            return answer["Body"].read(), answer["Metadata"]

    def head(self, name: str) -> Mapping[str, str]:
        """An object's metadata."""
        with self._explained("look for"):
            answer = self._client.head_object(Bucket=self._bucket, Key=name)
            return answer["Metadata"]  # type: ignore[no-any-return]

    def put(self, name: str, data: bytes, marks: Mapping[str, str]) -> None:
        """Taken when there is such an object."""
        with self._explained("put"):
            self._client.put_object(
                Bucket=self._bucket,
                Key=name,
                Body=data,
                IfNoneMatch="*",
                Metadata=dict(marks),
                ContentMD5=_md5(data),
            )

    def begin(self, name: str, marks: Mapping[str, str]) -> str:
        """Id of an upload in parts."""
        with self._explained("put"):
            answer = self._client.create_multipart_upload(
                Bucket=self._bucket, Key=name, Metadata=dict(marks)
            )
            return str(answer["UploadId"])

    def put_part(self, name: str, upload: str, number: int, data: bytes) -> dict[str, Any]:
        """What the completion wants to know of a part; numbers count from 1."""
        with self._explained("put"):
            answer = self._client.upload_part(
                Bucket=self._bucket,
                Key=name,
                UploadId=upload,
                PartNumber=number,
                Body=data,
                ContentMD5=_md5(data),
            )
            return {"PartNumber": number, "ETag": answer["ETag"]}

    def complete(self, name: str, upload: str, parts: Sequence[dict[str, Any]]) -> None:
        """Taken when there is such an object, Gone when there is no such upload any more."""
        with self._explained("put"):
            self._client.complete_multipart_upload(
                Bucket=self._bucket,
                Key=name,
                UploadId=upload,
                MultipartUpload={"Parts": list(parts)},
                IfNoneMatch="*",
            )

    def abort(self, name: str, upload: str) -> None:
        with self._explained("put"):
            self._client.abort_multipart_upload(Bucket=self._bucket, Key=name, UploadId=upload)

    def page(self, prefix: str, following: str = "", folders: bool = False) -> Page:
        """Up to 1,000 names that begin with a prefix; `following` is the page's before it."""
        options = {"Delimiter": "/"} if folders else {}
        if following:
            options["ContinuationToken"] = following
        with self._explained("list"):
            answer = self._client.list_objects_v2(Bucket=self._bucket, Prefix=prefix, **options)
            now = parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])
            return Page(
                {
                    item["Key"]: (now - item["LastModified"]).total_seconds()
                    for item in answer.get("Contents", ())
                },
                tuple(item["Prefix"] for item in answer.get("CommonPrefixes", ())),
                str(answer["NextContinuationToken"]) if answer.get("IsTruncated") else "",
            )

    def remove(self, names: Sequence[str]) -> None:
        """Remove up to 1,000 objects, there or not."""
        with self._explained("remove"):
            answer = self._client.delete_objects(
                Bucket=self._bucket,
                Delete={"Objects": [{"Key": name} for name in names], "Quiet": True},
            )
        if failed := answer.get("Errors"):
            raise Passing(f"{len(failed)} objects stay: {failed[0].get('Code')}")

    def access(self) -> Access:
        """For the readers of Parquet: the same place by the same credentials."""
        with self._explained("open"):
            found = self._session.get_credentials()
            frozen = found.get_frozen_credentials() if found else None
        keys = (frozen.access_key, frozen.secret_key, frozen.token or "") if frozen else None
        meta = self._client.meta
        style = meta.config.s3["addressing_style"]
        return Access(meta.endpoint_url, meta.region_name, style == "path", keys)

    @contextmanager
    def _explained(self, verb: str) -> Iterator[None]:
        try:
            yield
        except ALL as error:
            raise meaning(error, f"store {self.address.uri}: cannot {verb}") from error


def _client(session: Any, address: S3Address) -> Any:
    def made(style: str) -> Any:
        return session.client(
            "s3",
            endpoint_url=address.endpoint_url or None,
            region_name=address.region or session.region_name or "us-east-1",
            config=Config(
                retries={"mode": "standard", "total_max_attempts": 1},
                connect_timeout=CONNECT_S,
                read_timeout=READ_S,
                max_pool_connections=CONNECTIONS,
                s3={"addressing_style": style},
                # Content-MD5 is known to every server; the newer checksums are not.
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        )

    client = made(address.addressing_style or "auto")
    host = urlsplit(client.meta.endpoint_url).hostname or ""
    amazon = host.endswith((".amazonaws.com", ".amazonaws.com.cn"))
    # Few other servers answer to a host name for each bucket.
    return client if amazon or address.addressing_style else made("path")


def _md5(data: bytes) -> str:
    return base64.b64encode(hashlib.md5(data, usedforsecurity=False).digest()).decode()
