-- A table of the store of which nothing is stored yet: no rows, the right types.
CREATE OR REPLACE VIEW $table AS
SELECT $columns
WHERE false;
