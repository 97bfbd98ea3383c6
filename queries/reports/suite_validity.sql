-- How many suites of each arm are valid, why the others are not, and why tests were dropped.
--
-- share is of the arm's finished cells; status no_suite counts those that gave none. Tests that are
-- not kept are told apart by their reason: flaky, wrong_oracle (never passes on the correct code),
-- fails_control (reads the harness or the source), skipped (skipped or expected to fail). Status
-- and tests are those of the primary environment. green counts suites of which no test fails on the
-- correct code. example is one suite's or cell's reason.
-- grain: arm x status
-- param subject = ''  only the subject of this name
-- param arm = ''  only this arm
WITH
suites AS (
    SELECT * FROM suite_baselines
    UNION ALL BY NAME
    SELECT experiment_id, subject_id, arm, 'no_suite' AS status, reason
    FROM cell_endings
    WHERE ending NOT IN ('suite', 'missing')
),
counted AS (
    SELECT
        experiment_id,
        arm,
        status,
        count(*) AS suites,
        count(*) FILTER (green) AS green,
        coalesce(sum(tests_collected), 0)::BIGINT AS tests,
        coalesce(sum(tests_kept), 0)::BIGINT AS kept,
        coalesce(sum(flaky), 0)::BIGINT AS flaky,
        coalesce(sum(wrong_oracle), 0)::BIGINT AS wrong_oracle,
        coalesce(sum(fails_control), 0)::BIGINT AS fails_control,
        coalesce(sum(skipped), 0)::BIGINT AS skipped,
        min(suites.reason) FILTER (suites.reason <> '') AS example
    FROM suites
    JOIN subjects USING (experiment_id, subject_id)
    WHERE $subject IN ('', subjects.name) AND $arm IN ('', arm)
    GROUP BY ALL
)
SELECT
    arm,
    status,
    suites,
    suites / sum(suites) OVER (PARTITION BY experiment_id, arm) AS share,
    green,
    tests,
    kept,
    flaky,
    wrong_oracle,
    fails_control,
    skipped,
    coalesce(example, '') AS example,
    experiment_id
FROM counted
ORDER BY experiment_id, arm, status = 'valid' DESC, suites DESC, status
