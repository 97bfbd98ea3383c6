-- Tests that may kill: the kept ones of the valid suites of finished cells. Grain: test.
CREATE OR REPLACE VIEW kept_tests AS
SELECT tests.*
FROM tests
SEMI JOIN (SELECT * FROM cell_suites WHERE valid) AS scored USING (experiment_id, suite_id)
WHERE tests.kept;
