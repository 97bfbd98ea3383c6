-- Mutation score of each arm by what was changed: engine, category and operator of the mutants.
--
-- mutants counts distinct ones, verdicts how often a valid suite was run on one of them.
-- grain: arm x engine x category x operator
-- param subject = ''  only the subject of this name
-- param arm = ''  only this arm
WITH
judged AS (
    SELECT
        verdicts.experiment_id,
        verdicts.arm,
        verdicts.subject_id,
        verdicts.mutant_id,
        count(*) AS verdicts,
        count(*) FILTER (verdict = 'killed') AS killed,
        count(*) FILTER (verdict = 'timeout') AS timeout,
        count(*) FILTER (verdict = 'survived') AS survived,
        count(*) FILTER (verdict = 'not_covered') AS not_covered
    FROM verdicts
    WHERE $arm IN ('', arm)
    GROUP BY ALL
),
chosen AS (
    SELECT mutants.*
    FROM mutants
    JOIN subjects USING (experiment_id, subject_id)
    WHERE $subject IN ('', subjects.name)
),
counted AS (
    SELECT
        experiment_id,
        arm,
        engine,
        category,
        operator,
        count(*) AS mutants,
        sum(verdicts)::BIGINT AS verdicts,
        sum(killed)::BIGINT AS killed,
        sum(timeout)::BIGINT AS timeout,
        sum(survived)::BIGINT AS survived,
        sum(not_covered)::BIGINT AS not_covered
    FROM judged
    JOIN chosen USING (experiment_id, subject_id, mutant_id)
    GROUP BY ALL
)
SELECT
    arm,
    engine,
    category,
    operator,
    mutation_score(killed + timeout, verdicts) AS score,
    mutants,
    verdicts,
    killed,
    timeout,
    survived,
    not_covered,
    experiment_id
FROM counted
ORDER BY experiment_id, arm, engine, category, operator
