-- What the correct code says of a suite's tests, in the primary environment, and why tests were
-- dropped. Grain: suite of a finished cell. green: the suite is valid and no test of it fails on
-- the correct code, be it always (wrong_oracle) or at times (flaky).
CREATE OR REPLACE VIEW suite_baselines AS
WITH
dropped AS (
    SELECT
        tests.experiment_id,
        tests.suite_id,
        count(*) FILTER (dropped_reason = 'flaky') AS flaky,
        count(*) FILTER (dropped_reason = 'wrong_oracle') AS wrong_oracle,
        count(*) FILTER (dropped_reason = 'fails_control') AS fails_control,
        count(*) FILTER (dropped_reason IN ('skipped', 'xfailed', 'xpassed')) AS skipped
    FROM tests
    SEMI JOIN (SELECT * FROM validations WHERE "primary") AS first_ones
        USING (experiment_id, suite_id, environment)
    WHERE NOT kept
    GROUP BY ALL
)
SELECT
    cell_suites.*,
    coalesce(flaky, 0) AS flaky,
    coalesce(wrong_oracle, 0) AS wrong_oracle,
    coalesce(fails_control, 0) AS fails_control,
    coalesce(skipped, 0) AS skipped,
    valid AND coalesce(wrong_oracle, 0) + coalesce(flaky, 0) = 0 AS green
FROM cell_suites
LEFT JOIN dropped USING (experiment_id, suite_id);
