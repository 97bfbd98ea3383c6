"""How DuckDB reads Parquet objects on S3: by its extension where that is installed, else by Arrow.

Both ask only for the columns and row groups that a question needs, and neither downloads anything
beforehand. Credentials and endpoint are those of the store (storage/s3.py); none is written down.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow import fs

from configs.errors import ConfigError
from storage import tables
from storage.objects import ObjectStore
from storage.s3 import Access
from storage.s3_store import S3Store
from storage.sqlfiles import literal

ATTEMPTS = 8
CONNECT_S, READ_S = 5, 30


def s3_store(store: ObjectStore) -> S3Store | None:
    """The store if it is on S3."""
    return store if isinstance(store, S3Store) else None


def secret_sql(store: S3Store) -> str:
    """SQL that lets the extension `httpfs` read a store; it holds credentials."""
    access = store.bucket.access()
    place = urlsplit(access.endpoint_url)
    key_id, secret, token = _keys(store, access)
    options = {
        "KEY_ID": literal(key_id),
        "SECRET": literal(secret),
        "REGION": literal(access.region),
        "ENDPOINT": literal(place.netloc + place.path),
        "URL_STYLE": literal("path" if access.path_style else "vhost"),
        "USE_SSL": str(place.scheme == "https").lower(),
        "SCOPE": literal(f"s3://{store.address.bucket}"),
    }
    if token:
        options["SESSION_TOKEN"] = literal(token)
    text = ", ".join(f"{name} {value}" for name, value in options.items())
    return f"CREATE OR REPLACE TEMPORARY SECRET killgrid_store (TYPE s3, {text})"


def file_system(store: S3Store) -> fs.S3FileSystem:
    """Arrow's file system for a store."""
    access = store.bucket.access()
    place = urlsplit(access.endpoint_url)
    key_id, secret, token = _keys(store, access)
    return fs.S3FileSystem(
        access_key=key_id,
        secret_key=secret,
        session_token=token or None,
        region=access.region,
        scheme=place.scheme,
        endpoint_override=place.netloc + place.path,
        force_virtual_addressing=not access.path_style,
        connect_timeout=CONNECT_S,
        request_timeout=READ_S,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS),
    )


def dataset(system: fs.S3FileSystem, table: str, uris: Sequence[str]) -> ds.Dataset:
    """A table's objects as one dataset, whose scans take projections and filters."""
    # What a scan needs of a row group comes in few requests.
    scan = ds.ParquetFragmentScanOptions(pre_buffer=True)
    return ds.dataset(
        [uri.removeprefix("s3://") for uri in uris],
        schema=pa.schema([(name, _plain(kind)) for name, kind in tables.COLUMNS[table].items()]),
        format=ds.ParquetFileFormat(default_fragment_scan_options=scan),
        filesystem=system,
    )


def _plain(kind: pa.DataType) -> pa.DataType:
    """A column's type without dictionary: Arrow prunes no row group by a column that has one."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _keys(store: S3Store, access: Access) -> tuple[str, str, str]:
    if access.keys is None:
        raise ConfigError(f"store {store.uri}: no AWS credentials; set AWS_PROFILE or the like")
    return access.keys
