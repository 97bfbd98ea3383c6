-- A table of the store: its columns, from what the connection knows its objects by.
CREATE OR REPLACE VIEW $table AS
SELECT $columns
FROM $source;
