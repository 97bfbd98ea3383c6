-- Keys of a table that more than one row has.
SELECT $key, count(*) AS copies
FROM $table
GROUP BY $key
HAVING count(*) > 1;
