-- As suite_scores, with a row for suites that are not valid too: these kill nothing and score 0,
-- and what they miss is not told apart. Grain: suite of a finished cell. Missing cells have no row
-- here.
CREATE OR REPLACE VIEW suite_scores_invalid_as_zero AS
SELECT
    * REPLACE (
        coalesce(killed, 0) AS killed,
        coalesce(timeout, 0) AS timeout,
        NOT valid OR complete AS complete
    ),
    CASE
        WHEN NOT valid THEN mutation_score(0, mutants)
        WHEN complete THEN mutation_score(killed + timeout, mutants)
    END AS score
FROM suite_results;
