-- Whether property tests (those using Hypothesis) lock in fewer bugs than other tests.
--
-- Tests of valid suites and of others, where a bug was planted. wrong counts tests that fail on
-- every baseline run, locking those of them that pass on the planted bug; not_run is what cannot be
-- told. locking_share = locking / (tests - not_run), with low and high bounding it in 'level' of
-- resamples of whole subjects.
-- grain: group of arms x kind of test
-- param per = 'arm'  what makes a group of arms: arm, writer (a model with all its arms), condition, all
-- param subject = ''  only the subject of this name
-- param arm = ''  only this arm
-- param level = 0.95  of the interval
-- param resamples = 1000  of the interval
-- param seed = 20261130  of the interval
WITH
sides AS (
    SELECT
        *,
        CASE $per
            WHEN 'arm' THEN arm
            WHEN 'writer' THEN writer
            WHEN 'condition' THEN condition
            WHEN 'all' THEN 'all'
            ELSE error('param per: one of arm, writer, condition, all')
        END AS side
    FROM arms
    WHERE $arm IN ('', arm)
),
told AS MATERIALIZED (
    SELECT
        sides.side,
        CASE WHEN uses_hypothesis THEN 'property' ELSE 'example' END AS kind,
        locking_tests.*
    FROM locking_tests
    JOIN sides USING (experiment_id, arm)
    JOIN subjects USING (experiment_id, subject_id)
    WHERE $subject IN ('', subjects.name)
),
clusters AS (
    SELECT
        {'experiment_id': experiment_id, 'side': side, 'kind': kind} AS comparison,
        subject_id AS cluster,
        count(*) FILTER (locking) AS total,
        count(locking) AS size
    FROM told
    GROUP BY ALL
),
intervals AS (
    SELECT comparison.*, low, high
    FROM cluster_bootstrap('clusters', $resamples, $level, $seed)
),
counted AS (
    SELECT
        experiment_id,
        side,
        kind,
        count(DISTINCT suite_id) AS suites,
        count(*) AS tests,
        count(*) FILTER (wrong) AS wrong,
        count(*) FILTER (locking) AS locking,
        count(*) - count(locking) AS not_run
    FROM told
    GROUP BY ALL
)
SELECT
    side AS arm,
    kind,
    locking / nullif(tests - not_run, 0) AS locking_share,
    low,
    high,
    wrong / tests AS wrong_share,
    suites,
    tests,
    wrong,
    locking,
    not_run,
    experiment_id
FROM counted
LEFT JOIN intervals USING (experiment_id, side, kind)
ORDER BY experiment_id, side, kind
