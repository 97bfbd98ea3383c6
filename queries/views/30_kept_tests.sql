-- Tests that may kill: the kept ones of the valid suites of finished cells, in each environment in
-- which the suite is valid. Grain: test x environment. place is the environment's number.
CREATE OR REPLACE VIEW kept_tests AS
SELECT tests.*, suite_environments.place
FROM tests
JOIN suite_environments USING (experiment_id, suite_id, environment)
WHERE tests.kept;
