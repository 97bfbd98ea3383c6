-- Whether the numbers may be used: what is missing, contradicts itself or is there twice.
--
-- status is ok, bad (the numbers are not to be used as they are) or note (nothing wrong, but worth
-- knowing); found counts. Disagreements are between a strategy and the process oracle on the sample
-- of rows that was run again; unstable are rows on which the oracle does not agree with itself.
-- Models of which several answered are those whose replies name more than one model.
-- grain: check x experiment
WITH
states AS (SELECT * FROM cell_states),
results AS MATERIALIZED (SELECT * FROM suite_results WHERE valid),
found_missing AS (
    SELECT
        experiments.experiment_id,
        count(*) FILTER (states.status = 'missing') AS found,
        min(states.reason) FILTER (states.status = 'missing') AS example
    FROM experiments
    LEFT JOIN states USING (experiment_id)
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
repeated AS (
    SELECT experiment_id, cell_id
    FROM cells
    WHERE status = 'done'
    GROUP BY ALL
    HAVING count(*) > 1
),
found_repeated AS (
    SELECT
        experiments.experiment_id,
        count(repeated.cell_id) AS found,
        min(repeated.cell_id) AS example
    FROM experiments
    LEFT JOIN repeated USING (experiment_id)
    GROUP BY ALL
),
found_incomplete AS (
    SELECT
        experiments.experiment_id,
        count(*) FILTER (NOT complete) AS found,
        min(suite_id || ': ' || judged || ' of ' || mutants || ' mutants') FILTER (NOT complete)
            AS example
    FROM experiments
    LEFT JOIN results USING (experiment_id)
    GROUP BY ALL
),
lost AS (
    SELECT states.experiment_id, states.cell_id
    FROM states
    LEFT JOIN suites USING (experiment_id, suite_id)
    WHERE states.status = 'done' AND states.verdict <> 'no_suite' AND suites.suite_id IS NULL
),
found_lost AS (
    SELECT
        experiments.experiment_id,
        count(lost.cell_id) AS found,
        min(lost.cell_id) AS example
    FROM experiments
    LEFT JOIN lost USING (experiment_id)
    GROUP BY ALL
),
paid_again AS (
    SELECT experiment_id, call_id
    FROM calls
    WHERE verdict NOT IN ('error', 'unreceipted')
    GROUP BY ALL
    HAVING count(*) > 1
),
found_paid_again AS (
    SELECT
        experiments.experiment_id,
        count(paid_again.call_id) AS found,
        min(paid_again.call_id) AS example
    FROM experiments
    LEFT JOIN paid_again USING (experiment_id)
    GROUP BY ALL
),
found_unreceipted AS (
    SELECT
        experiments.experiment_id,
        count(attempts.call_id) AS found,
        min(attempts.call_id) AS example
    FROM experiments
    LEFT JOIN (SELECT * FROM call_attempts WHERE verdict = 'unreceipted') AS attempts
        USING (experiment_id)
    GROUP BY ALL
),
answered AS (
    SELECT
        experiment_id,
        provider || '/' || model || ': '
            || string_agg(DISTINCT answered_by, ', ' ORDER BY answered_by) AS named
    FROM calls
    WHERE answered_by <> ''
    GROUP BY experiment_id, provider, model
    HAVING count(DISTINCT answered_by) > 1
),
found_answered AS (
    SELECT experiments.experiment_id, count(named) AS found, min(named) AS example
    FROM experiments
    LEFT JOIN answered USING (experiment_id)
    GROUP BY ALL
),
found_rows AS (
    SELECT
        experiments.experiment_id,
        count(*) FILTER (tests_judged > tests_due) AS found,
        min(suite_id) FILTER (tests_judged > tests_due) AS example
    FROM experiments
    LEFT JOIN results USING (experiment_id)
    GROUP BY ALL
),
found_events AS (
    SELECT
        experiments.experiment_id,
        count(*) FILTER (kind = 'disagreement') AS disagreements,
        count(*) FILTER (kind = 'unstable') AS unstable,
        count(*) FILTER (kind = 'rechecked') AS agreements,
        min(detail) FILTER (kind = 'disagreement') AS disagreement,
        min(detail) FILTER (kind = 'unstable') AS instability
    FROM experiments
    LEFT JOIN events USING (experiment_id)
    GROUP BY ALL
),
checks AS (
    SELECT 1 AS place, 'missing cells' AS "check", 'bad' AS status, * FROM found_missing
    UNION ALL BY NAME
    SELECT 2 AS place, 'cells not finished' AS "check", 'bad' AS status, * FROM found_unfinished
    UNION ALL BY NAME
    SELECT 3 AS place, 'cells stored twice' AS "check", 'bad' AS status, * FROM found_repeated
    UNION ALL BY NAME
    SELECT 4 AS place, 'suites that lack rows of mutants' AS "check", 'bad' AS status, *
    FROM found_incomplete
    UNION ALL BY NAME
    SELECT 5 AS place, 'rows stored twice' AS "check", 'bad' AS status, * FROM found_rows
    UNION ALL BY NAME
    SELECT 6 AS place, 'finished cells without their suite' AS "check", 'bad' AS status, *
    FROM found_lost
    UNION ALL BY NAME
    SELECT 7 AS place, 'model calls answered twice' AS "check", 'bad' AS status, *
    FROM found_paid_again
    UNION ALL BY NAME
    SELECT 8 AS place, 'model calls without a receipt' AS "check", 'note' AS status, *
    FROM found_unreceipted
    UNION ALL BY NAME
    SELECT 9 AS place, 'models of which several answered' AS "check", 'note' AS status, *
    FROM found_answered
    UNION ALL BY NAME
    SELECT
        10 AS place,
        'disagreements between strategies' AS "check",
        'bad' AS status,
        experiment_id,
        disagreements AS found,
        coalesce(disagreement, '') AS example
    FROM found_events
    UNION ALL BY NAME
    SELECT
        11 AS place,
        'rows that differ from run to run' AS "check",
        'note' AS status,
        experiment_id,
        unstable AS found,
        coalesce(instability, '') AS example
    FROM found_events
    UNION ALL BY NAME
    SELECT
        12 AS place,
        'rows run again that agree' AS "check",
        CASE WHEN agreements > 0 THEN 'ok' ELSE 'note' END AS status,
        experiment_id,
        agreements AS found,
        CASE
            WHEN agreements > 0 THEN ''
            ELSE 'nothing was run again: strategies are not checked'
        END AS example
    FROM found_events
)
SELECT
    "check",
    CASE WHEN found = 0 AND place < 12 THEN 'ok' ELSE status END AS status,
    found,
    CASE WHEN found = 0 AND place < 12 THEN '' ELSE coalesce(example, '') END AS example,
    experiment_id
FROM checks
ORDER BY experiment_id, place
