-- How many suites of each writer catch the planted bug under each condition, and how many lock it.
--
-- usable and warning are as in the report leaderboard: rows that were not measured alike are not to
-- be compared. A bug is one planted bug met by one suite. caught is the share of them that kept
-- tests catch, green_caught that of suites that are green besides: no test fails on the correct
-- code. A suite that is not valid catches nothing; bugs of which it cannot be told are not_run and
-- in no share. low and high bound caught in 'level' of resamples of whole subjects. valid, green
-- and locking are shares of suites: locking ones have a test that fails on the correct code and
-- passes on the planted bug; suites of which that cannot be told are not in that share.
-- grain: writer x condition
-- param subject = ''  only the subject of this name
-- param arm = ''  only this arm
-- param gap = 0.05  differences in shares from which on a row is warned of
-- param level = 0.95  of the interval
-- param resamples = 1000  of the interval
-- param seed = 20261130  of the interval
WITH
planted AS (
    SELECT * FROM mutants WHERE planted AND status = 'ok'
),
chosen AS (
    SELECT experiment_id, subject_id
    FROM subjects
    SEMI JOIN planted USING (experiment_id, subject_id)
    WHERE $subject IN ('', name)
),
sides AS (
    SELECT *, {'writer': writer, 'condition': condition} AS side FROM arms
),
shares AS (
    SELECT experiment_id, side, kind, sum(hits) AS hits, sum(total) AS total
    FROM arm_troubles
    JOIN sides USING (experiment_id, arm)
    GROUP BY ALL
),
warnings AS (
    SELECT * FROM asymmetries('shares', $gap)
),
cells_counted AS (
    SELECT
        experiment_id,
        side,
        count(*) AS cells,
        count(*) FILTER (ending = 'suite') AS suites,
        count(*) FILTER (ending = 'truncated') AS truncated,
        count(*) FILTER (ending NOT IN ('suite', 'truncated', 'missing')) AS otherwise_unusable,
        count(*) FILTER (ending = 'missing') AS missing
    FROM cell_endings
    JOIN sides USING (experiment_id, arm)
    SEMI JOIN chosen USING (experiment_id, subject_id)
    WHERE $arm IN ('', arm)
    GROUP BY ALL
),
places AS (
    SELECT experiment_id, suite_id, count(*) AS places FROM suite_environments GROUP BY ALL
),
locks AS (
    SELECT
        experiment_id,
        suite_id,
        bool_or(coalesce(locking, false)) AS locks,
        count(*) FILTER (locking IS NULL) AS untold
    FROM locking_tests
    GROUP BY ALL
),
suites AS MATERIALIZED (
    SELECT
        sides.side,
        baselines.*,
        places.places,
        CASE
            WHEN locks.locks THEN true
            WHEN coalesce(locks.untold, 0) = 0 THEN false
        END AS locks
    FROM suite_baselines AS baselines
    JOIN sides USING (experiment_id, arm)
    SEMI JOIN chosen USING (experiment_id, subject_id)
    LEFT JOIN places USING (experiment_id, suite_id)
    LEFT JOIN locks USING (experiment_id, suite_id)
    WHERE $arm IN ('', baselines.arm)
),
on_planted AS (
    SELECT * FROM executions SEMI JOIN planted USING (experiment_id, subject_id, mutant_id)
),
judged AS (
    SELECT * FROM verdicts_of('on_planted')
),
met AS MATERIALIZED (
    SELECT
        suites.experiment_id,
        suites.side,
        suites.subject_id,
        suites.green,
        CASE
            WHEN NOT suites.valid THEN false
            WHEN judged.verdict IN ('killed', 'timeout') THEN true
            WHEN judged.environments = suites.places THEN false
        END AS caught
    FROM suites
    JOIN planted USING (experiment_id, subject_id)
    LEFT JOIN judged
        ON suites.experiment_id = judged.experiment_id
        AND suites.suite_id = judged.suite_id
        AND planted.mutant_id = judged.mutant_id
),
clusters AS (
    SELECT
        {'experiment_id': experiment_id, 'side': side} AS comparison,
        subject_id AS cluster,
        count(*) FILTER (caught) AS total,
        count(caught) AS size
    FROM met
    GROUP BY ALL
),
intervals AS (
    SELECT comparison.*, low, high
    FROM cluster_bootstrap('clusters', $resamples, $level, $seed)
),
bugs_counted AS (
    SELECT
        experiment_id,
        side,
        count(caught) AS bugs,
        count(*) FILTER (caught) AS caught,
        count(*) FILTER (caught AND green) AS green_caught,
        count(*) - count(caught) AS not_run
    FROM met
    GROUP BY ALL
),
suites_counted AS (
    SELECT
        experiment_id,
        side,
        count(*) FILTER (valid) AS valid,
        count(*) FILTER (green) AS green,
        count(*) FILTER (locks) AS locking,
        count(locks) AS locking_told
    FROM suites
    GROUP BY ALL
)
SELECT
    side.writer AS writer,
    side.condition AS condition,
    suites / nullif(cells - missing, 0) AS usable,
    coalesce(warning, '') AS warning,
    bugs_counted.caught / nullif(bugs, 0) AS caught,
    low,
    high,
    bugs_counted.green_caught / nullif(bugs, 0) AS green_caught,
    suites_counted.locking / nullif(locking_told, 0) AS locking,
    validity(valid, suites) AS valid,
    green / nullif(suites, 0) AS green,
    suites,
    coalesce(bugs, 0) AS bugs,
    coalesce(not_run, 0) AS not_run,
    truncated,
    otherwise_unusable,
    missing,
    cells,
    experiment_id
FROM cells_counted
LEFT JOIN warnings USING (experiment_id, side)
LEFT JOIN suites_counted USING (experiment_id, side)
LEFT JOIN bugs_counted USING (experiment_id, side)
LEFT JOIN intervals USING (experiment_id, side)
ORDER BY experiment_id, side.writer, side.condition
