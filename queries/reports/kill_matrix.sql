-- The kill matrix: the outcome of every test on every mutant, suite by suite.
--
-- may_kill: the test is kept and its suite valid in that environment; kills: it may, and its outcome
-- does. executed: the test reaches the mutated code; one that does not need not have been run, and
-- then has its baseline outcome and no duration. Rows come in the store's order.
-- grain: suite x environment x mutant x test
-- param subject = ''  only the subject of this name
-- param arm = ''  only this arm
-- param suite = ''  only the suite of this id
-- param mutant = ''  only the mutant of this name or id
WITH
suites AS (
    SELECT cell_suites.*, subjects.name AS subject
    FROM cell_suites
    JOIN subjects USING (experiment_id, subject_id)
    WHERE $subject IN ('', subjects.name)
        AND $arm IN ('', arm)
        AND $suite IN ('', suite_id)
)
SELECT
    suites.subject,
    suites.arm,
    suites.replicate,
    executions.environment,
    mutants.name AS mutant,
    executions.nodeid,
    executions.outcome,
    suites.valid AND executions.may_kill AND is_kill(executions.outcome) AS kills,
    executions.executed,
    executions.may_kill,
    executions.duration_s,
    executions.exception,
    executions.message,
    executions.strategy,
    executions.suite_id,
    executions.mutant_id,
    executions.test_id,
    executions.experiment_id
FROM executions
JOIN suites USING (experiment_id, suite_id)
LEFT JOIN mutants
    ON executions.experiment_id = mutants.experiment_id
    AND executions.subject_id = mutants.subject_id
    AND executions.mutant_id = mutants.mutant_id
WHERE $mutant IN ('', mutants.name, executions.mutant_id)
