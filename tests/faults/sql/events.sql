-- What went wrong, counted: without the name of the step, and cut to a line.
SELECT
    kind,
    regexp_replace(split_part(detail, chr(10), 1), '^.*?(attempt \d+: .{0,150}).*', '\1') AS words,
    count(*) AS n
FROM events
WHERE kind <> 'rechecked'
GROUP BY ALL
ORDER BY n DESC, words;
