-- Executions that kill their mutant: the test is kept (it passed on every baseline run and control
-- of that environment) and its outcome is failed, error, timeout or crashed. Grain: suite x
-- environment x mutant x killing test.
CREATE OR REPLACE VIEW kills AS
SELECT executions.*, kept_tests.nodeid, kept_tests.ordinal
FROM executions
JOIN kept_tests USING (experiment_id, test_id, environment)
SEMI JOIN (SELECT * FROM mutants WHERE status = 'ok') AS live
    ON executions.experiment_id = live.experiment_id
    AND executions.subject_id = live.subject_id
    AND executions.mutant_id = live.mutant_id
WHERE is_kill(executions.outcome);
