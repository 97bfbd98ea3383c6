-- Mutants that a valid suite does not kill, with their diff and the tests that came near.
--
-- near is how many kept tests executed the mutated code and passed all the same; near_tests names
-- the first five of them in file order. Verdict not_covered: there is none.
-- grain: suite x mutant that is not killed
-- param subject = ''  only the subject of this name
-- param arm = ''  only this arm
-- param suite = ''  only the suite of this id
WITH
unkilled AS (
    SELECT verdicts.*, subjects.name AS subject
    FROM verdicts
    JOIN subjects USING (experiment_id, subject_id)
    WHERE verdict IN ('survived', 'not_covered')
        AND $subject IN ('', subjects.name)
        AND $arm IN ('', arm)
        AND $suite IN ('', suite_id)
),
near_rows AS MATERIALIZED (
    SELECT
        executions.experiment_id,
        executions.suite_id,
        executions.mutant_id,
        executions.nodeid,
        executions.ordinal
    FROM executions
    SEMI JOIN (SELECT * FROM unkilled WHERE verdict = 'survived') AS survived
        ON executions.experiment_id = survived.experiment_id
        AND executions.suite_id = survived.suite_id
        AND executions.mutant_id = survived.mutant_id
    WHERE executions.executed AND executions.may_kill
),
near AS (
    SELECT
        experiment_id,
        suite_id,
        mutant_id,
        one_each(list(nodeid ORDER BY ordinal)) AS near_tests
    FROM near_rows
    GROUP BY ALL
)
SELECT
    unkilled.subject,
    unkilled.arm,
    unkilled.replicate,
    mutants.name AS mutant,
    unkilled.verdict,
    mutants.path,
    mutants.line,
    mutants.operator,
    mutants.diff,
    coalesce(len(near.near_tests), 0) AS near,
    coalesce(near.near_tests[:5], []) AS near_tests,
    unkilled.suite_id,
    unkilled.mutant_id,
    unkilled.experiment_id
FROM unkilled
JOIN mutants USING (experiment_id, subject_id, mutant_id)
LEFT JOIN near USING (experiment_id, suite_id, mutant_id)
ORDER BY
    unkilled.experiment_id,
    unkilled.subject,
    unkilled.arm,
    unkilled.replicate,
    mutants.ordinal
