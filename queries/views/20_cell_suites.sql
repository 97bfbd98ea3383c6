-- The suite that counts of each finished cell, and whether it is valid. Grain: finished cell.
-- Cells that are missing are not here, nor in any view that scores.
CREATE OR REPLACE VIEW cell_suites AS
WITH
finished AS (SELECT * FROM cell_states WHERE status = 'done')
SELECT
    finished.experiment_id,
    finished.cell_id,
    finished.subject_id,
    finished.arm,
    finished.replicate,
    finished.suite_id,
    suites.status,
    suites.status = 'valid' AS valid,
    suites.reason,
    suites.tests_collected,
    suites.tests_kept,
    finished.cost_usd
FROM finished
JOIN suites USING (experiment_id, suite_id);
