-- What every suite of a finished cell did to the mutants of its subject, valid or not. Grain: suite
-- of a finished cell. Suites that are not valid have no verdicts: their counts are NULL, not 0. A
-- valid suite is complete when no mutant lacks its rows in any environment in which the suite is
-- valid, of which there are environments; tests_due is how many rows it is to have on a mutant at
-- most, tests_judged the most that it has.
CREATE OR REPLACE VIEW suite_results AS
WITH
expected AS (
    SELECT experiment_id, subject_id, count(DISTINCT mutant_id) AS mutants
    FROM mutants
    WHERE status = 'ok'
    GROUP BY ALL
),
places AS (
    SELECT
        experiment_id,
        suite_id,
        count(*) AS environments,
        sum(tests_kept)::BIGINT AS tests_due
    FROM validations
    WHERE status = 'valid'
    GROUP BY ALL
),
judged AS (
    SELECT
        experiment_id,
        suite_id,
        count(*) AS judged,
        max(tests) AS tests_judged,
        min(environments) AS environments_judged,
        count(*) FILTER (verdict = 'killed') AS killed,
        count(*) FILTER (verdict = 'timeout') AS timeout,
        count(*) FILTER (verdict = 'survived') AS survived,
        count(*) FILTER (verdict = 'not_covered') AS not_covered
    FROM verdicts
    GROUP BY ALL
)
SELECT
    cell_suites.*,
    coalesce(mutants, 0) AS mutants,
    environments,
    tests_due,
    CASE WHEN valid THEN coalesce(judged, 0) END AS judged,
    tests_judged,
    CASE WHEN valid THEN coalesce(killed, 0) END AS killed,
    CASE WHEN valid THEN coalesce(timeout, 0) END AS timeout,
    CASE WHEN valid THEN coalesce(survived, 0) END AS survived,
    CASE WHEN valid THEN coalesce(not_covered, 0) END AS not_covered,
    CASE
        WHEN valid
            THEN coalesce(judged, 0) = coalesce(mutants, 0)
                AND coalesce(environments_judged, environments, 0) = coalesce(environments, 0)
    END AS complete
FROM cell_suites
LEFT JOIN expected USING (experiment_id, subject_id)
LEFT JOIN places USING (experiment_id, suite_id)
LEFT JOIN judged USING (experiment_id, suite_id);
