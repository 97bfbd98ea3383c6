"""What the errors of boto3 mean: done already, gone, passing trouble, or something for the user."""

from __future__ import annotations

from typing import Any

from botocore import exceptions as boto  # type: ignore[import-untyped]
from botocore.parsers import ResponseParserError  # type: ignore[import-untyped]
from urllib3.exceptions import HTTPError

from configs.errors import ConfigError, InfraError, NotFoundError
from storage.s3_retries import Gone, Passing, Taken

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
# Everything that a request may end with.
ALL = (boto.BotoCoreError, boto.ClientError, ValueError, *_NETWORK)


def meaning(error: Exception, what: str) -> Exception:
    """Taken, Gone, Passing or an error for the user, for whatever a request ended with."""
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
