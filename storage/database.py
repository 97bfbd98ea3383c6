"""DuckDB over a store: its tables as views of exactly the indexed objects, then queries/'s views.

The only file that imports duckdb.
"""

from __future__ import annotations

import difflib
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import duckdb
import pyarrow as pa

from configs.errors import ConfigError, InfraError, KillgridError, NotFoundError
from storage import tables
from storage.manifest import Manifest, list_experiments, read_manifest
from storage.objects import LocalStore, ObjectStore, open_store
from storage.units import Index, read_index
from storage.view_sql import objects_of, source_name, views_over

BATCH_ROWS = 10_000

# How DuckDB's messages of trouble that is no mistake in the SQL begin.
_OURS = (
    "IO Error",
    "HTTP Error",
    "INTERNAL Error",
    "Out of Memory Error",
    "FATAL Error",
    "Invalid Input Error: arrow_scan:",
    "Invalid Input Error: reading the stream",
)


class Result:
    """Rows of a query, in batches, as they come."""

    def __init__(self, reader: pa.RecordBatchReader) -> None:
        self._reader = reader
        self.schema: pa.Schema = reader.schema

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        while True:
            with _plain_errors():
                try:
                    batch = self._reader.read_next_batch()
                except StopIteration:
                    return
            yield batch

    def table(self) -> pa.Table:
        """All rows at once."""
        return pa.Table.from_batches(list(self), self.schema)

    def rows(self) -> list[dict[str, Any]]:
        """All rows at once, as dicts."""
        return self.table().to_pylist()  # type: ignore[no-any-return]


class Database:
    """A connection that knows the store's tables, macros and views."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        spill: Path,
        sources: Mapping[str, Any] | None = None,
    ) -> None:
        self.connection = connection
        self._spill = spill
        self._sources = dict(sources or {})

    def query(self, sql: str, params: Mapping[str, Any] | None = None) -> Result:
        """Run one SQL statement with `$name` parameters; ConfigError for a mistake in it."""
        with _plain_errors():
            # A cursor of its own: while rows are still coming a connection takes no other query.
            cursor = self.connection.cursor()
            for name, source in self._sources.items():
                cursor.register(name, source)
            relation = cursor.sql(sql, params=dict(params) if params else None)
            if relation is None:
                return Result(pa.RecordBatchReader.from_batches(pa.schema([]), []))
            return Result(relation.to_arrow_reader(BATCH_ROWS))

    def close(self) -> None:
        """End it; DuckDB would keep its folder for as long as a result that is read is alive."""
        self.connection.close()
        shutil.rmtree(self._spill, ignore_errors=True)

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def connect(
    store_uri: str,
    experiment_id: str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
) -> Database:
    """A database over one experiment of a store, or over all of them.

    NotFoundError when there is no such store or experiment. `memory_limit`, such as "2GB", is
    DuckDB's (four fifths of the machine's memory by default); what does not fit in goes to the
    system's temporary folder. Close to its limit DuckDB spills joins early and is slow.
    """
    store, manifests, indexes = _read_store(store_uri, experiment_id)
    # Not there yet, so that DuckDB removes it again, and no other connection's.
    spill = Path(tempfile.gettempdir()) / f"killgrid-spill-{secrets.token_hex(8)}"
    config: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "temp_directory": str(spill),
    }
    if threads is not None:
        config["threads"] = threads
    if memory_limit is not None:
        config["memory_limit"] = memory_limit
    connection = duckdb.connect(config=config)
    try:
        with _plain_errors():
            sources = _on_s3(connection, store, indexes)
            connection.execute(views_over(manifests, indexes, sources))
    except BaseException:
        connection.close()
        raise
    return Database(connection, spill, sources)


def views_sql(store_uri: str, experiment_id: str | None = None) -> str:
    """SQL that makes the tables, macros and views in any DuckDB client."""
    _, manifests, indexes = _read_store(store_uri, experiment_id)
    return views_over(manifests, indexes)


def _read_store(
    store_uri: str, experiment_id: str | None
) -> tuple[ObjectStore, list[Manifest], list[Index]]:
    store = open_store(store_uri, must_exist=True)
    known = list_experiments(store)
    if experiment_id is not None and experiment_id not in known:
        close = difflib.get_close_matches(experiment_id, known, 1, 0.5)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise NotFoundError(f"store {store_uri}: there is no experiment {experiment_id}{hint}")
    chosen = known if experiment_id is None else [experiment_id]
    indexes = [read_index(store, name) for name in chosen]
    return store, [read_manifest(store, name) for name in chosen], indexes


def _on_s3(
    connection: duckdb.DuckDBPyConnection, store: ObjectStore, indexes: list[Index]
) -> dict[str, Any]:
    """Let a connection read a store on S3; what was registered for it, by name."""
    if isinstance(store, LocalStore):
        return {}
    # Arrow's S3 takes half a second to load, which questions to a folder need not wait for.
    from storage import s3_reading

    place = s3_reading.s3_store(store)
    if place is None:
        return {}
    if _has_httpfs(connection):
        connection.execute(s3_reading.secret_sql(place))
        return {}
    system = s3_reading.file_system(place)
    found = {table: objects_of(table, indexes) for table in tables.NAMES}
    sources = {
        source_name(table): s3_reading.dataset(system, table, uris)
        for table, uris in found.items()
        if uris
    }
    for name, source in sources.items():
        connection.register(name, source)
    return sources


def _has_httpfs(connection: duckdb.DuckDBPyConnection) -> bool:
    try:
        connection.execute("LOAD httpfs")
    except duckdb.Error:
        return False
    return True


@contextmanager
def _plain_errors() -> Iterator[None]:
    try:
        yield
    except KillgridError:
        raise
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        # What follows an empty line is a copy of the statement.
        message = " ".join(str(error).split("\n\n")[0].split())
        kind = InfraError if message.startswith(_OURS) else ConfigError
        raise kind(f"query failed: {message}") from error
