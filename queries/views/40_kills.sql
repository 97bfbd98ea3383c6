-- Executions that kill their mutant: the test may kill (it passed on every baseline run and control
-- of that environment, and its suite is valid) and its outcome is failed, error, timeout or crashed.
-- Grain: suite x environment x mutant x killing test.
CREATE OR REPLACE VIEW kills AS
SELECT executions.*
FROM executions
SEMI JOIN (SELECT * FROM cell_suites WHERE valid) AS scored
    ON executions.experiment_id = scored.experiment_id
    AND executions.suite_id = scored.suite_id
SEMI JOIN (SELECT * FROM mutants WHERE status = 'ok') AS live
    ON executions.experiment_id = live.experiment_id
    AND executions.subject_id = live.subject_id
    AND executions.mutant_id = live.mutant_id
WHERE executions.may_kill AND is_kill(executions.outcome);
