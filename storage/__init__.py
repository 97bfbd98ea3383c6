"""Where results live: table schemas, object store, Parquet, DuckDB."""
