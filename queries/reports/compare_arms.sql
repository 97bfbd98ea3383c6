-- Two arms on the same mutants: difference of their scores, with exact McNemar test and intervals.
--
-- A pair is a mutant on which both arms have a verdict in the same replicate; killed and timeout
-- count as killed. cells counts subjects x replicates that both arms were to have, cells_compared
-- those in which both have a valid suite: the rest is not in the comparison. score_a and score_b
-- are means over mutants of the share of replicates in which the arm kills it; difference = score_a
-- - score_b. low and high bound it in 'level' of resamples of mutants, subject_low and subject_high
-- in resamples of whole subjects, the honest ones where mutants of one subject are alike.
-- without_low and without_high are its extremes with one subject left out. mcnemar_p is exact, and
-- empty when several replicates are compared, since the pairs of a mutant do not stand alone: name
-- a replicate to have it.
-- grain: pair of arms
-- param a = ''  one arm; empty: each
-- param b = ''  the other; empty: each
-- param subject = ''  only the subject of this name
-- param replicate = ''  only this replicate
-- param level = 0.95  of the intervals
-- param resamples = 1000  of the intervals
-- param seed = 20261130  of the intervals
WITH
chosen AS (
    SELECT experiment_id, subject_id FROM subjects WHERE name = $subject
),
planned AS (
    SELECT
        {'experiment_id': states.experiment_id, 'subject_id': states.subject_id} AS subject,
        states.experiment_id,
        states.arm,
        states.replicate,
        coalesce(suites.valid, false) AS valid
    FROM cell_states AS states
    LEFT JOIN cell_suites AS suites USING (experiment_id, cell_id)
    WHERE $replicate IN ('', states.replicate::VARCHAR)
        AND ($subject = '' OR (states.experiment_id, states.subject_id) IN (FROM chosen))
),
judged AS MATERIALIZED (
    SELECT
        experiment_id,
        subject_id,
        mutant_id,
        arm,
        replicate,
        verdict IN ('killed', 'timeout') AS killed
    FROM verdicts
    WHERE $replicate IN ('', replicate::VARCHAR)
        AND ($subject = '' OR (experiment_id, subject_id) IN (FROM chosen))
        AND ($a = '' OR $b = '' OR arm IN ($a, $b))
),
pairs AS (
    SELECT
        one.experiment_id,
        one.arm AS a,
        other.arm AS b,
        one.subject_id,
        one.mutant_id,
        count(*) AS pairs,
        count_if(one.killed AND other.killed) AS both_kill,
        count_if(one.killed AND NOT other.killed) AS only_a,
        count_if(other.killed AND NOT one.killed) AS only_b
    FROM judged AS one
    JOIN judged AS other
        ON one.experiment_id = other.experiment_id
        AND one.subject_id = other.subject_id
        AND one.mutant_id = other.mutant_id
        AND one.replicate = other.replicate
        AND one.arm <> other.arm
        AND ($a = one.arm OR ($a = '' AND ($b = other.arm OR one.arm < other.arm)))
        AND $b IN ('', other.arm)
    GROUP BY ALL
),
compared AS MATERIALIZED (
    SELECT {'experiment_id': experiment_id, 'a': a, 'b': b} AS comparison, * FROM pairs
),
by_mutant AS (
    SELECT
        comparison,
        {'subject_id': subject_id, 'mutant_id': mutant_id} AS pair,
        (only_a - only_b) / pairs AS difference
    FROM compared
),
by_subject AS (
    SELECT
        comparison,
        subject_id AS cluster,
        steady_sum((only_a - only_b) / pairs) AS total,
        count(*) AS size
    FROM compared
    GROUP BY ALL
),
over_mutants AS (
    SELECT * FROM paired_bootstrap('by_mutant', $resamples, $level, $seed)
),
over_subjects AS (
    SELECT * FROM cluster_bootstrap('by_subject', $resamples, $level, $seed)
),
without_one AS (
    SELECT comparison, min(estimate) AS without_low, max(estimate) AS without_high
    FROM leave_one_out('by_subject')
    GROUP BY comparison
),
cells_counted AS (
    SELECT
        {'experiment_id': one.experiment_id, 'a': one.arm, 'b': other.arm} AS comparison,
        count(*) AS cells,
        count(*) FILTER (one.valid AND other.valid) AS cells_compared
    FROM planned AS one
    JOIN planned AS other
        ON one.subject = other.subject
        AND one.replicate = other.replicate
        AND one.arm <> other.arm
    GROUP BY one.experiment_id, one.arm, other.arm
),
counted AS (
    SELECT
        comparison,
        count(DISTINCT subject_id) AS subjects,
        count(*) AS mutants,
        sum(pairs)::BIGINT AS pairs,
        sum(both_kill)::BIGINT AS both_kill,
        sum(only_a)::BIGINT AS only_a,
        sum(only_b)::BIGINT AS only_b,
        steady_sum((both_kill + only_a) / pairs) / count(*) AS score_a,
        steady_sum((both_kill + only_b) / pairs) / count(*) AS score_b
    FROM compared
    GROUP BY comparison
)
SELECT
    counted.comparison.a AS a,
    counted.comparison.b AS b,
    cells,
    cells_compared,
    subjects,
    mutants,
    pairs,
    both_kill,
    only_a,
    only_b,
    pairs - both_kill - only_a - only_b AS neither,
    score_a,
    score_b,
    over_mutants.estimate AS difference,
    over_mutants.low,
    over_mutants.high,
    over_subjects.low AS subject_low,
    over_subjects.high AS subject_high,
    without_low,
    without_high,
    CASE WHEN pairs = mutants THEN mcnemar_p(only_a, only_b) END AS mcnemar_p,
    counted.comparison.experiment_id AS experiment_id
FROM counted
JOIN over_mutants USING (comparison)
JOIN over_subjects USING (comparison)
JOIN without_one USING (comparison)
JOIN cells_counted USING (comparison)
ORDER BY experiment_id, a, b
