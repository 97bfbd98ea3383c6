-- What was out of the ordinary, counted: the step and its attempt are left out of the first line.
SELECT kind, regexp_replace(split_part(detail, chr(10), 1), '^.*?attempt ', 'attempt ') AS words, count(*) AS n
FROM events
GROUP BY ALL
ORDER BY n DESC, words;
