-- Mutation score of each arm on each group of subjects, with validity apart.
--
-- score = (killed + timeout) / mutants, both summed over the valid suites of the group, of which
-- there are suites; mean_score is the mean of the suites' own scores. validity is the share of
-- finished cells whose suite is valid; suites that are not are counted as invalid, and score zero
-- on demand only. Missing cells are counted, never scored; so are incomplete suites, which lack the
-- row of a mutant. low and high bound the score in 'level' of resamples of whole subjects; empty
-- for a single subject.
-- grain: group of subjects x arm
-- param by = 'subject'  what makes a group: subject, family, split, all
-- param subject = ''  only the subject of this name
-- param arm = ''  only this arm
-- param invalid_as_zero = false  suites that are not valid score zero instead of being left out
-- param level = 0.95  of the interval
-- param resamples = 1000  of the interval
-- param seed = 20261130  of the interval
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
planned AS (
    SELECT subjects.subjects, states.*
    FROM cell_states AS states
    JOIN subjects USING (experiment_id, subject_id)
    WHERE $arm IN ('', arm)
),
suites AS (
    SELECT subjects.subjects, scores.*
    FROM suite_scores_invalid_as_zero AS scores
    JOIN subjects USING (experiment_id, subject_id)
    WHERE $arm IN ('', arm)
),
scored AS (
    SELECT * FROM suites WHERE complete AND (valid OR $invalid_as_zero)
),
clusters AS (
    SELECT
        {'experiment_id': experiment_id, 'subjects': subjects, 'arm': arm} AS comparison,
        subject_id AS cluster,
        sum(killed + timeout)::BIGINT AS total,
        sum(mutants)::BIGINT AS size
    FROM scored
    GROUP BY ALL
),
intervals AS (
    SELECT comparison.*, low, high
    FROM cluster_bootstrap('clusters', $resamples, $level, $seed)
),
cells_counted AS (
    SELECT
        experiment_id,
        subjects,
        arm,
        count(*) AS cells,
        count(*) FILTER (status <> 'done') AS missing
    FROM planned
    GROUP BY ALL
),
suites_counted AS (
    SELECT
        experiment_id,
        subjects,
        arm,
        count(*) FILTER (valid) AS valid,
        count(*) FILTER (NOT valid) AS invalid,
        count(*) FILTER (NOT complete) AS incomplete
    FROM suites
    GROUP BY ALL
),
scores_counted AS (
    SELECT
        experiment_id,
        subjects,
        arm,
        count(*) AS suites,
        sum(mutants)::BIGINT AS mutants,
        sum(killed)::BIGINT AS killed,
        sum(timeout)::BIGINT AS timeout,
        sum(survived)::BIGINT AS survived,
        sum(not_covered)::BIGINT AS not_covered,
        avg(score) AS mean_score
    FROM scored
    GROUP BY ALL
)
SELECT
    subjects,
    arm,
    mutation_score(killed + timeout, mutants) AS score,
    coalesce(mutants, 0) AS mutants,
    coalesce(killed, 0) AS killed,
    coalesce(timeout, 0) AS timeout,
    coalesce(survived, 0) AS survived,
    coalesce(not_covered, 0) AS not_covered,
    coalesce(suites, 0) AS suites,
    validity(valid, valid + invalid) AS validity,
    coalesce(invalid, 0) AS invalid,
    coalesce(incomplete, 0) AS incomplete,
    missing,
    cells,
    low,
    high,
    mean_score,
    experiment_id
FROM cells_counted
LEFT JOIN suites_counted USING (experiment_id, subjects, arm)
LEFT JOIN scores_counted USING (experiment_id, subjects, arm)
LEFT JOIN intervals USING (experiment_id, subjects, arm)
ORDER BY experiment_id, subjects, arm
