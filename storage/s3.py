"""One request to an S3 bucket at a time, and what its failure means. The only file with boto3.

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
from botocore import exceptions as boto  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.parsers import ResponseParserError  # type: ignore[import-untyped]
from urllib3.exceptions import HTTPError

from configs.errors import ConfigError, InfraError, NotFoundError
from storage.s3_address import S3Address
from storage.s3_retries import Gone, Passing, Taken

CONNECT_S, READ_S = 5, 30
CONNECTIONS = 32

# Codes and statuses that mean: the same request may go through later.
_PASSING = ("SlowDown", "RequestTimeout", "InternalError", "ServiceUnavailable", "BadDigest")
_PASSING_STATUS = (408, 425, 429, 500, 502, 503, 504)
_LOST_RACE = ("ConditionalRequestConflict", "OperationAborted")
_CREDENTIALS = (
    boto.NoCredentialsError,
    boto.PartialCredentialsError,
    boto.ProfileNotFound,
    boto.CredentialRetrievalError,
    boto.TokenRetrievalError,
)
_NETWORK = (
    boto.ConnectionError,
    boto.HTTPClientError,
    boto.ResponseStreamingError,
    boto.IncompleteReadError,
    ResponseParserError,
    # boto3 lets these through when an answer that says no breaks off.
    HTTPError,
    OSError,
)


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
        except (boto.BotoCoreError, boto.ClientError, ValueError, *_NETWORK) as error:
            raise _meaning(error, f"store {self.address.uri}: cannot {verb}") from error


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


def _meaning(error: Exception, what: str) -> Exception:
    if isinstance(error, boto.ClientError):
        return _answer(error, what)
    words = " ".join(str(error).split())
    if isinstance(error, _CREDENTIALS):
        return ConfigError(f"{what}: {words}; set AWS_PROFILE or the like, as for any AWS tool")
    if isinstance(error, boto.SSLError):
        return ConfigError(f"{what}: {words}")
    if isinstance(error, _NETWORK):
        return Passing(words, unsure=not isinstance(error, boto.EndpointConnectionError))
    return ConfigError(f"{what}: {words}")


def _answer(error: Any, what: str) -> Exception:
    """The meaning of an answer that says no. HEAD requests have only the status for a code."""
    code = str(error.response.get("Error", {}).get("Code", ""))
    status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    said = f"{code} {error.response.get('Error', {}).get('Message') or ''}".strip()
    if code == "NoSuchBucket":
        return NotFoundError(f"{what}: there is no such bucket")
    if status == 412:
        return Taken(said)
    if code in _LOST_RACE or status == 409:
        return Passing(said, unsure=False)
    if code in _PASSING or status in _PASSING_STATUS or "Throttl" in code:
        return Passing(said)
    if code == "RequestTimeTooSkewed":
        return InfraError(f"{what}: this machine's clock and the server's differ too much")
    if status == 404:
        return Gone(f"{what}: {said}")
    if status == 501:
        return ConfigError(f"{what}: the server lacks something that is needed ({said})")
    if status in (301, 307) or code in ("AuthorizationHeaderMalformed", "IllegalLocation"):
        return ConfigError(f"{what}: the bucket is in another region ({said}); set AWS_REGION")
    if status in (401, 403):
        return ConfigError(f"{what}: access denied ({code})")
    return InfraError(f"{what}: {said} (HTTP {status})")


def _md5(data: bytes) -> str:
    return base64.b64encode(hashlib.md5(data, usedforsecurity=False).digest()).decode()
