-- Where a suite that counts is run against mutants: the environments in which it is valid, if it is
-- valid in the primary one. Grain: suite x environment. place numbers an experiment's environments
-- from 0.
CREATE OR REPLACE VIEW suite_environments AS
WITH
environments AS (
    SELECT DISTINCT experiment_id, environment FROM validations
),
placed AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY experiment_id ORDER BY environment) - 1 AS place
    FROM environments
)
SELECT
    validations.experiment_id,
    validations.suite_id,
    validations.environment,
    validations."primary",
    validations.tests_kept,
    placed.place
FROM validations
JOIN placed USING (experiment_id, environment)
SEMI JOIN (SELECT * FROM cell_suites WHERE valid) AS scored
    ON validations.experiment_id = scored.experiment_id
    AND validations.suite_id = scored.suite_id
WHERE validations.status = 'valid';
