-- What each arm's model calls cost, in US dollars, by kill and by valid suite.
--
-- known_usd adds the costs that are known, of all draws, rounds and tries, also of cells that came
-- to nothing; unknown_costs counts attempts whose cost is not known and that may have cost. Where
-- there is one, usd_per_kill and usd_per_valid_suite are empty, and at_least_per_kill and
-- at_least_per_valid_suite are all that can be said. kills counts mutants that the kept tests of
-- the suites that count kill; it is empty when a valid suite is not complete. Arms that call no
-- model have no row.
-- grain: arm
-- param subject = ''  only the subject of this name
-- param arm = ''  only this arm
WITH
chosen AS (
    SELECT experiment_id, subject_id FROM subjects WHERE $subject IN ('', name)
),
costs AS (
    SELECT
        experiment_id,
        arm,
        sum(calls)::BIGINT AS calls,
        sum(attempts)::BIGINT AS attempts,
        sum(known_usd) AS known_usd,
        sum(unknown_costs)::BIGINT AS unknown_costs
    FROM cell_costs
    SEMI JOIN chosen USING (experiment_id, subject_id)
    WHERE $arm IN ('', arm)
    GROUP BY ALL
),
gained AS (
    SELECT
        experiment_id,
        arm,
        count(*) FILTER (valid) AS valid_suites,
        known_sum(CASE WHEN complete THEN killed + timeout END)::BIGINT AS kills
    FROM suite_scores_invalid_as_zero
    SEMI JOIN chosen USING (experiment_id, subject_id)
    WHERE $arm IN ('', arm)
    GROUP BY ALL
),
joined AS (
    SELECT
        *,
        CASE WHEN unknown_costs = 0 THEN known_usd END AS all_usd
    FROM costs
    LEFT JOIN gained USING (experiment_id, arm)
)
SELECT
    arm,
    known_usd,
    unknown_costs,
    cost_per_kill(all_usd, kills) AS usd_per_kill,
    cost_per_kill(all_usd, valid_suites) AS usd_per_valid_suite,
    cost_per_kill(known_usd, kills) AS at_least_per_kill,
    cost_per_kill(known_usd, valid_suites) AS at_least_per_valid_suite,
    kills,
    coalesce(valid_suites, 0) AS valid_suites,
    calls,
    attempts,
    experiment_id
FROM joined
ORDER BY experiment_id, arm
