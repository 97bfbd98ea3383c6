-- Where a suite that counts is run against mutants: the environments in which it is valid, if it is
-- valid in the primary one. Grain: suite x environment.
CREATE OR REPLACE VIEW suite_environments AS
SELECT experiment_id, suite_id, environment, "primary", tests_kept
FROM validations
SEMI JOIN (SELECT * FROM cell_suites WHERE valid) AS scored USING (experiment_id, suite_id)
WHERE status = 'valid';
