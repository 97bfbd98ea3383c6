-- Where a suite that counts is run against mutants: the environments in which it is valid, if it is
-- valid in the primary one. Grain: suite x environment. place numbers them from 0.
CREATE OR REPLACE VIEW suite_environments AS
SELECT
    validations.experiment_id,
    validations.suite_id,
    validations.environment,
    validations."primary",
    validations.tests_kept,
    row_number() OVER (
        PARTITION BY validations.experiment_id, validations.suite_id
        ORDER BY validations.environment
    ) - 1 AS place
FROM validations
SEMI JOIN (SELECT * FROM cell_suites WHERE valid) AS scored USING (experiment_id, suite_id)
WHERE validations.status = 'valid';
