-- Rows that one of two stores has more often than the other, without the columns that say how long
-- something took or which way it was run.
SELECT 'only before' AS place, * FROM (
    SELECT * EXCLUDE ($free) FROM before_$table
    EXCEPT ALL
    SELECT * EXCLUDE ($free) FROM after_$table
)
UNION ALL
SELECT 'only after' AS place, * FROM (
    SELECT * EXCLUDE ($free) FROM after_$table
    EXCEPT ALL
    SELECT * EXCLUDE ($free) FROM before_$table
);
