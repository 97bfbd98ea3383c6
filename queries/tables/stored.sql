-- A table of the store: its columns, read from exactly the objects that the index names.
CREATE OR REPLACE VIEW $table AS
SELECT $columns
FROM read_parquet([$objects], hive_partitioning = false, union_by_name = false);
