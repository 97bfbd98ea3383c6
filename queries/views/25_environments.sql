-- Settings that suites of an experiment are run under. Grain: experiment x environment. place
-- numbers them from 0.
CREATE OR REPLACE VIEW environments AS
WITH
named AS (
    SELECT DISTINCT experiment_id, environment FROM validations
)
SELECT
    *,
    row_number() OVER (PARTITION BY experiment_id ORDER BY environment) - 1 AS place
FROM named;
