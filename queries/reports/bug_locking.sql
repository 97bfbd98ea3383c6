-- Tests that lock a bug in: they fail on the correct code and pass on the planted bug.
--
-- wrong counts tests that fail on every baseline run; checked those of them that were run on a
-- planted bug of their subject, and locking those that pass on one. not_run is what cannot be told:
-- wrong tests with no row on a planted bug. share = locking / checked.
-- grain: group of subjects x arm
-- param by = 'all'  what makes a group: subject, family, split, all
-- param subject = ''  only the subject of this name
-- param arm = ''  only this arm
WITH
subjects AS (
    SELECT
        *,
        CASE $by
            WHEN 'subject' THEN name
            WHEN 'family' THEN family
            WHEN 'split' THEN split
            WHEN 'all' THEN 'all'
            ELSE error('param by: one of subject, family, split, all')
        END AS subjects
    FROM main.subjects
    WHERE $subject IN ('', name)
),
planted AS (
    SELECT * FROM mutants WHERE planted AND status = 'ok'
),
tried AS (
    SELECT subjects.subjects, cell_suites.*
    FROM cell_suites
    JOIN subjects USING (experiment_id, subject_id)
    SEMI JOIN planted USING (experiment_id, subject_id)
    WHERE $arm IN ('', arm)
),
all_tests AS (
    SELECT
        tried.subjects,
        tried.arm,
        tests.experiment_id,
        tests.suite_id,
        tests.test_id,
        tests.nodeid,
        len(tests.baseline_outcomes) > 0
            AND len(list_filter(tests.baseline_outcomes, lambda x: NOT is_kill(x))) = 0 AS wrong
    FROM tests
    JOIN tried USING (experiment_id, suite_id)
),
on_planted AS (
    SELECT experiment_id, test_id, bool_or(outcome = 'passed') AS locking
    FROM executions
    SEMI JOIN planted USING (experiment_id, subject_id, mutant_id)
    SEMI JOIN (SELECT * FROM all_tests WHERE wrong) AS wrong_tests USING (experiment_id, test_id)
    GROUP BY ALL
),
counted AS (
    SELECT
        experiment_id,
        subjects,
        arm,
        count(DISTINCT suite_id) AS suites,
        count(*) AS tests,
        count(*) FILTER (wrong) AS wrong,
        count(*) FILTER (wrong AND locking IS NOT NULL) AS checked,
        count(*) FILTER (wrong AND locking) AS locking,
        count(*) FILTER (wrong AND locking IS NULL) AS not_run,
        coalesce(min(nodeid, 3) FILTER (wrong AND locking), []) AS examples
    FROM all_tests
    LEFT JOIN on_planted USING (experiment_id, test_id)
    GROUP BY ALL
)
SELECT
    subjects,
    arm,
    suites,
    tests,
    wrong,
    checked,
    locking,
    not_run,
    CASE WHEN checked > 0 THEN locking / checked END AS share,
    examples,
    experiment_id
FROM counted
ORDER BY experiment_id, subjects, arm
