-- The tests that took longest over all mutants together.
--
-- runs counts mutants on which it was run (others keep its baseline outcome); total_s and max_s are
-- over these runs, baseline_s is one run on the correct code. timeouts and crashes cost the most
-- and are counted.
-- grain: test of a suite x environment
-- param subject = ''  only the subject of this name
-- param arm = ''  only this arm
-- param limit = 20  how many tests; 0 for all
WITH
chosen AS (
    SELECT cell_suites.*, subjects.name AS subject
    FROM cell_suites
    JOIN subjects USING (experiment_id, subject_id)
    WHERE $subject IN ('', subjects.name) AND $arm IN ('', arm)
),
summed AS (
    SELECT
        experiment_id,
        test_id,
        environment,
        count(*) AS runs,
        sum(duration_s::DOUBLE) AS total_s,
        max(duration_s) AS max_s,
        count(*) FILTER (outcome = 'timeout') AS timeouts,
        count(*) FILTER (outcome = 'crashed') AS crashes
    FROM executions
    SEMI JOIN chosen USING (experiment_id, suite_id)
    WHERE executed OR duration_s > 0
    GROUP BY ALL
),
slowest AS (
    SELECT *
    FROM summed
    ORDER BY total_s DESC, experiment_id, test_id, environment
    LIMIT (CASE WHEN $limit > 0 THEN $limit END)
)
SELECT
    chosen.subject,
    chosen.arm,
    chosen.replicate,
    tests.nodeid,
    slowest.total_s,
    slowest.runs,
    slowest.max_s,
    tests.duration_s AS baseline_s,
    slowest.timeouts,
    slowest.crashes,
    slowest.environment,
    slowest.test_id,
    slowest.experiment_id
FROM slowest
JOIN tests USING (experiment_id, test_id, environment)
JOIN chosen
    ON tests.experiment_id = chosen.experiment_id
    AND tests.suite_id = chosen.suite_id
ORDER BY
    slowest.total_s DESC,
    slowest.experiment_id,
    slowest.test_id,
    slowest.environment
