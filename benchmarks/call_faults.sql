-- What came of every fault. Grain: fault; verdict, tries and ending are one where all wires agree.
WITH
named AS (
    SELECT *, regexp_extract(model, '\.(.*)$', 1) AS fault FROM calls
),
ends AS (
    SELECT
        cell_id,
        fault,
        arg_max(verdict, attempt) AS verdict,
        count(*) AS tries,
        count(cost_usd) AS priced,
        sum(cost_usd) AS usd
    FROM named
    GROUP BY ALL
)
SELECT
    fault,
    count(*) AS wires,
    string_agg(DISTINCT ends.verdict, ' ' ORDER BY ends.verdict) AS verdict,
    string_agg(DISTINCT ends.tries::VARCHAR, ' ') AS tries,
    CASE WHEN min(ends.priced) < min(ends.tries) THEN 'not known' ELSE round(avg(usd), 4)::VARCHAR
    END AS usd,
    string_agg(DISTINCT cells.status, ' ') AS cell,
    string_agg(
        DISTINCT CASE WHEN cells.verdict = 'no_suite' THEN cells.reason ELSE cells.verdict END, ' '
    ) AS ending,
    count(*) FILTER (cells.suite_id <> '') AS suites
FROM ends
JOIN cells USING (cell_id)
GROUP BY fault
ORDER BY verdict, fault
