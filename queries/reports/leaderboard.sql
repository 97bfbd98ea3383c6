-- Which writers catch the most mutants, and whether they were measured alike.
--
-- usable is the share of finished cells that gave a suite. warning tells where that differs between
-- rows by 'gap' or more, with the shares here and in all others: of calls cut at the output cap,
-- refused, empty or ended for no known reason, of cells without code, and of missing ones. Such
-- rows are not to be compared before the reason is known.
-- score = caught / mutants, both summed over the cells that gave a suite; caught counts mutants
-- killed, also by time-outs and crashes, and is 0 for a suite that is not green: not valid, or with
-- a test that fails on the correct code. score_kept is the same once wrong tests are dropped: what
-- the tests that pass on the correct code kill, 0 for a suite that has none or is not valid.
-- score_zero counts cells that finished without a suite as catching nothing. Missing cells and
-- incomplete suites are in no score. low and high bound score in 'level' of resamples of whole
-- subjects with all their replicates, run_low and run_high in resamples of whole replicates.
-- Costs are of all calls; usd_per_kill is by what the kept tests kill, and empty where the cost of
-- an attempt is not known.
-- grain: arm, or group of arms
-- param per = 'arm'  what makes a row: arm, writer (a model with all its arms), condition
-- param subject = ''  only the subject of this name
-- param arm = ''  only this arm
-- param gap = 0.05  differences in shares from which on a row is warned of
-- param level = 0.95  of the intervals
-- param resamples = 1000  of the intervals
-- param seed = 20261130  of the intervals
WITH
chosen AS (
    SELECT experiment_id, subject_id FROM subjects WHERE $subject IN ('', name)
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
),
named AS (
    SELECT
        experiment_id,
        side,
        only_name(writer) AS writer,
        only_name(condition) AS condition,
        only_name(origin) AS origin
    FROM sides
    WHERE $arm IN ('', arm)
    GROUP BY ALL
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
due AS (
    SELECT experiment_id, subject_id, count(DISTINCT mutant_id) AS mutants
    FROM mutants
    WHERE status = 'ok'
    GROUP BY ALL
),
cells_counted AS (
    SELECT
        experiment_id,
        side,
        count(*) AS cells,
        count(*) FILTER (ending = 'suite') AS suites,
        count(*) FILTER (ending = 'truncated') AS truncated,
        count(*) FILTER (ending = 'refused') AS refused,
        count(*) FILTER (ending = 'empty') AS empty,
        count(*) FILTER (ending = 'unknown') AS unknown,
        count(*) FILTER (ending = 'no_code') AS no_code,
        count(*) FILTER (ending = 'missing') AS missing,
        coalesce(sum(mutants) FILTER (ending NOT IN ('suite', 'missing')), 0) AS mutants_unmet
    FROM cell_endings
    JOIN sides USING (experiment_id, arm)
    SEMI JOIN chosen USING (experiment_id, subject_id)
    LEFT JOIN due USING (experiment_id, subject_id)
    WHERE $arm IN ('', arm)
    GROUP BY ALL
),
suites AS MATERIALIZED (
    SELECT
        sides.side,
        scores.*,
        baselines.green,
        scores.killed + scores.timeout AS caught_kept,
        CASE WHEN baselines.green THEN scores.killed + scores.timeout ELSE 0 END AS caught
    FROM suite_scores_invalid_as_zero AS scores
    JOIN sides USING (experiment_id, arm)
    SEMI JOIN chosen USING (experiment_id, subject_id)
    JOIN suite_baselines AS baselines USING (experiment_id, cell_id)
    WHERE $arm IN ('', arm)
),
by_subject AS (
    SELECT
        {'experiment_id': experiment_id, 'side': side} AS comparison,
        subject_id AS cluster,
        sum(caught)::BIGINT AS total,
        sum(mutants)::BIGINT AS size
    FROM suites
    WHERE complete
    GROUP BY ALL
),
by_replicate AS (
    SELECT
        {'experiment_id': experiment_id, 'side': side} AS comparison,
        replicate AS cluster,
        sum(caught)::BIGINT AS total,
        sum(mutants)::BIGINT AS size
    FROM suites
    WHERE complete
    GROUP BY ALL
),
over_subjects AS (
    SELECT comparison.*, low, high
    FROM cluster_bootstrap('by_subject', $resamples, $level, $seed)
),
over_replicates AS (
    SELECT comparison.*, low AS run_low, high AS run_high
    FROM cluster_bootstrap('by_replicate', $resamples, $level, $seed)
),
suites_counted AS (
    SELECT
        experiment_id,
        side,
        count(*) FILTER (valid) AS valid,
        count(*) FILTER (green) AS green,
        count(*) FILTER (NOT complete) AS incomplete,
        avg(tests_collected) AS tests_per_suite,
        avg(tests_kept) AS kept_per_suite,
        sum(mutants) FILTER (complete) AS mutants,
        sum(caught) FILTER (complete) AS caught,
        sum(caught_kept) FILTER (complete) AS caught_kept,
        known_sum(CASE WHEN complete THEN caught_kept END) AS kills
    FROM suites
    GROUP BY ALL
),
costs AS (
    SELECT
        experiment_id,
        side,
        sum(known_usd) AS known_usd,
        sum(unknown_costs)::BIGINT AS unknown_costs
    FROM cell_costs
    JOIN sides USING (experiment_id, arm)
    SEMI JOIN chosen USING (experiment_id, subject_id)
    WHERE $arm IN ('', arm)
    GROUP BY ALL
)
SELECT
    side AS arm,
    suites / nullif(cells - missing, 0) AS usable,
    coalesce(warning, '') AS warning,
    mutation_score(caught, mutants) AS score,
    low,
    high,
    mutation_score(caught_kept, mutants) AS score_kept,
    mutation_score(
        coalesce(caught, 0), coalesce(mutants, 0) + mutants_unmet
    ) AS score_zero,
    suites,
    coalesce(valid, 0) AS valid,
    coalesce(green, 0) AS green,
    truncated,
    refused,
    empty,
    unknown,
    no_code,
    missing,
    cells,
    tests_per_suite,
    kept_per_suite,
    cost_per_kill(CASE WHEN unknown_costs = 0 THEN known_usd END, kills) AS usd_per_kill,
    cost_per_kill(CASE WHEN unknown_costs = 0 THEN known_usd END, valid) AS usd_per_valid_suite,
    known_usd,
    unknown_costs,
    coalesce(caught, 0)::BIGINT AS caught,
    coalesce(mutants, 0)::BIGINT AS mutants,
    coalesce(incomplete, 0) AS incomplete,
    run_low,
    run_high,
    writer,
    condition,
    origin,
    experiment_id
FROM cells_counted
JOIN named USING (experiment_id, side)
LEFT JOIN warnings USING (experiment_id, side)
LEFT JOIN suites_counted USING (experiment_id, side)
LEFT JOIN over_subjects USING (experiment_id, side)
LEFT JOIN over_replicates USING (experiment_id, side)
LEFT JOIN costs USING (experiment_id, side)
ORDER BY experiment_id, score DESC NULLS LAST, side
