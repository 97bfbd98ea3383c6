-- How many suites of each arm are valid, why the others are not, and why tests were dropped.
--
-- share is of the arm's finished cells. Tests that are not kept are told apart by their reason:
-- flaky, wrong_oracle (never passes on the correct code), fails_control (reads the harness or the
-- source), skipped (skipped or expected to fail). example is one suite's reason.
-- grain: arm x status
-- param subject = ''  only the subject of this name
-- param arm = ''  only this arm
WITH
suites AS (
    SELECT cell_suites.*
    FROM cell_suites
    JOIN subjects USING (experiment_id, subject_id)
    WHERE $subject IN ('', subjects.name) AND $arm IN ('', arm)
),
dropped AS (
    SELECT
        experiment_id,
        suite_id,
        count(*) FILTER (dropped_reason = 'flaky') AS flaky,
        count(*) FILTER (dropped_reason = 'wrong_oracle') AS wrong_oracle,
        count(*) FILTER (dropped_reason = 'fails_control') AS fails_control,
        count(*) FILTER (dropped_reason IN ('skipped', 'xfailed', 'xpassed')) AS skipped
    FROM tests
    WHERE NOT kept
    GROUP BY ALL
),
counted AS (
    SELECT
        experiment_id,
        arm,
        status,
        count(*) AS suites,
        sum(tests_collected)::BIGINT AS tests,
        sum(tests_kept)::BIGINT AS kept,
        coalesce(sum(flaky), 0)::BIGINT AS flaky,
        coalesce(sum(wrong_oracle), 0)::BIGINT AS wrong_oracle,
        coalesce(sum(fails_control), 0)::BIGINT AS fails_control,
        coalesce(sum(skipped), 0)::BIGINT AS skipped,
        min(reason) FILTER (reason <> '') AS example
    FROM suites
    LEFT JOIN dropped USING (experiment_id, suite_id)
    GROUP BY ALL
)
SELECT
    arm,
    status,
    suites,
    suites / sum(suites) OVER (PARTITION BY experiment_id, arm) AS share,
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
