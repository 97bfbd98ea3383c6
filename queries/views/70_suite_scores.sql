-- Score of each valid suite: (killed + timeout) / mutants of its subject. Grain: valid suite of a
-- finished cell. A suite that is not complete has no score.
CREATE OR REPLACE VIEW suite_scores AS
SELECT
    *,
    CASE WHEN complete THEN mutation_score(killed + timeout, mutants) END AS score
FROM suite_results
WHERE valid;
