-- Suites and tests that lock a bug in: they fail on the correct code and pass on the planted bug.
--
-- wrong counts tests that fail on every baseline run; checked those of them that were run on a
-- planted bug of their subject, and locking those that pass on one. not_run is what cannot be told:
-- wrong tests without their rows on a planted bug. share = locking / checked. locking_suites have a
-- locking test; suite_share is of the suites of which that can be told, which leaves suites_untold
-- out. With several environments a test is wrong or locking if it is in one of them.
-- grain: group of subjects x group of arms
-- param by = 'all'  what makes a group of subjects: subject, family, split, all
-- param per = 'arm'  what makes a group of arms: arm, writer (a model with all its arms), condition
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
sides AS (
    SELECT
        *,
        CASE $per
            WHEN 'arm' THEN arm
            WHEN 'writer' THEN writer
            WHEN 'condition' THEN condition
            ELSE error('param per: one of arm, writer, condition')
        END AS side
    FROM arms
    WHERE $arm IN ('', arm)
),
told AS MATERIALIZED (
    SELECT subjects.subjects, sides.side, sides.writer, sides.condition, locking_tests.*
    FROM locking_tests
    JOIN subjects USING (experiment_id, subject_id)
    JOIN sides USING (experiment_id, arm)
),
by_suite AS (
    SELECT
        experiment_id,
        subjects,
        side,
        bool_or(coalesce(locking, false)) AS locks,
        count(*) FILTER (locking IS NULL) AS untold
    FROM told
    GROUP BY experiment_id, subjects, side, suite_id
),
suites_counted AS (
    SELECT
        experiment_id,
        subjects,
        side,
        count(*) AS suites,
        count(*) FILTER (locks) AS locking_suites,
        count(*) FILTER (NOT locks AND untold > 0) AS suites_untold
    FROM by_suite
    GROUP BY ALL
),
tests_counted AS (
    SELECT
        experiment_id,
        subjects,
        side,
        only_name(writer) AS writer,
        only_name(condition) AS condition,
        count(*) AS tests,
        count(*) FILTER (wrong) AS wrong,
        count(*) FILTER (wrong AND locking IS NOT NULL) AS checked,
        count(*) FILTER (wrong AND locking) AS locking,
        count(*) FILTER (wrong AND locking IS NULL) AS not_run,
        coalesce(min(nodeid, 3) FILTER (wrong AND locking), []) AS examples
    FROM told
    GROUP BY ALL
)
SELECT
    subjects,
    side AS arm,
    suites,
    locking_suites,
    locking_suites / nullif(suites - suites_untold, 0) AS suite_share,
    suites_untold,
    tests,
    wrong,
    checked,
    locking,
    not_run,
    locking / nullif(checked, 0) AS share,
    examples,
    writer,
    condition,
    experiment_id
FROM tests_counted
JOIN suites_counted USING (experiment_id, subjects, side)
ORDER BY experiment_id, subjects, side
