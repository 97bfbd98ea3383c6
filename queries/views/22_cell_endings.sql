-- What came of each cell. Grain: cell. ending is suite; truncated, refused, empty or unknown, when
-- no reply of a model could be used; no_code, when what was written holds no suite; or missing.
CREATE OR REPLACE VIEW cell_endings AS
SELECT
    states.experiment_id,
    states.cell_id,
    states.subject_id,
    states.arm,
    states.replicate,
    states.reason,
    CASE
        WHEN states.status <> 'done' THEN 'missing'
        WHEN cell_suites.suite_id IS NOT NULL THEN 'suite'
        WHEN states.reason IN ('length', 'unclosed_fence') THEN 'truncated'
        WHEN states.reason IN ('refused', 'empty', 'unknown') THEN states.reason
        ELSE 'no_code'
    END AS ending
FROM cell_states AS states
LEFT JOIN cell_suites USING (experiment_id, cell_id);
