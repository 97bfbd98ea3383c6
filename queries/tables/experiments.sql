-- The experiments of the store, from their manifests. Grain: experiment. `cells` is how many are
-- planned.
CREATE OR REPLACE VIEW experiments AS
SELECT *
FROM (VALUES $rows) AS listed (experiment_id, experiment, cells, created_at, config_sha256, commit)
WHERE experiment_id IS NOT NULL;
