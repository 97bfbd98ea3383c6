-- Whether the numbers may be used: what is missing, contradicts itself or happened twice.
--
-- status is ok or bad; found counts what is wrong. A run whose check is bad says so with exit code 1.
-- grain: check x experiment
WITH
states AS (SELECT * FROM cell_states),
results AS MATERIALIZED (SELECT * FROM suite_results WHERE valid),
found_missing AS (
    SELECT experiment_id, count(*) AS found, min(reason) AS example
    FROM states
    WHERE status = 'missing'
    GROUP BY ALL
),
found_unfinished AS (
    SELECT
        experiments.experiment_id,
        greatest(0, any_value(experiments.cells) - count(states.cell_id)) AS found,
        any_value(experiments.cells) || ' planned' AS example
    FROM experiments
    LEFT JOIN states USING (experiment_id)
    GROUP BY ALL
),
found_repeated AS (
    SELECT experiment_id, count(*) AS found, min(cell_id) AS example
    FROM (
        SELECT experiment_id, cell_id
        FROM cells
        WHERE status = 'done'
        GROUP BY ALL
        HAVING count(*) > 1
    )
    GROUP BY ALL
),
found_incomplete AS (
    SELECT
        experiment_id,
        count(*) AS found,
        min(suite_id || ': ' || judged || ' of ' || mutants || ' mutants') AS example
    FROM results
    WHERE NOT complete
    GROUP BY ALL
),
found_rows AS (
    SELECT experiment_id, count(*) AS found, min(suite_id) AS example
    FROM results
    WHERE tests_judged > tests_kept
    GROUP BY ALL
),
found_events AS (
    SELECT experiment_id, kind, count(*) AS found, min(detail) AS example
    FROM events
    GROUP BY ALL
),
checks AS (
    SELECT 'missing cells' AS "check", * FROM found_missing
    UNION ALL BY NAME
    SELECT 'cells not finished' AS "check", * FROM found_unfinished
    UNION ALL BY NAME
    SELECT 'cells stored twice' AS "check", * FROM found_repeated
    UNION ALL BY NAME
    SELECT 'suites that lack rows of mutants' AS "check", * FROM found_incomplete
    UNION ALL BY NAME
    SELECT 'rows stored twice' AS "check", * FROM found_rows
    UNION ALL BY NAME
    SELECT 'disagreements between strategies' AS "check", experiment_id, found, example
    FROM found_events
    WHERE kind = 'disagreement'
),
names AS (
    SELECT *
    FROM (
        VALUES
            (1, 'missing cells'),
            (2, 'cells not finished'),
            (3, 'cells stored twice'),
            (4, 'suites that lack rows of mutants'),
            (5, 'rows stored twice'),
            (6, 'disagreements between strategies')
    ) AS listed (place, "check")
)
SELECT
    names."check",
    CASE WHEN coalesce(checks.found, 0) = 0 THEN 'ok' ELSE 'bad' END AS status,
    coalesce(checks.found, 0) AS found,
    CASE WHEN coalesce(checks.found, 0) = 0 THEN '' ELSE coalesce(checks.example, '') END AS example,
    experiments.experiment_id
FROM experiments
CROSS JOIN names
LEFT JOIN checks
    ON checks.experiment_id = experiments.experiment_id
    AND checks."check" = names."check"
ORDER BY experiments.experiment_id, names.place
