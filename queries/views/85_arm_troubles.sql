-- How often each arm had each kind of trouble that keeps a writer's suites from being measured.
-- Grain: arm x kind. hits of total, which are calls for what models do, and cells for the rest; an
-- arm that calls no model has no row for the former.
CREATE OR REPLACE VIEW arm_troubles AS
WITH
call_kinds AS (
    SELECT
        experiment_id,
        arm,
        unnest(['truncated', 'refused', 'empty', 'unknown ending', 'failed calls']) AS kind,
        unnest([
            verdict = 'length',
            verdict = 'refused',
            verdict = 'empty',
            verdict = 'unknown',
            verdict IN ('error', 'unreceipted')
        ]) AS hit
    FROM call_ends
),
cell_kinds AS (
    SELECT
        experiment_id,
        arm,
        unnest(['code cut', 'without code', 'missing cells']) AS kind,
        unnest([reason = 'unclosed_fence', ending = 'no_code', ending = 'missing']) AS hit
    FROM cell_endings
)
SELECT experiment_id, arm, kind, count(*) FILTER (hit) AS hits, count(*) AS total
FROM (FROM call_kinds UNION ALL FROM cell_kinds)
GROUP BY ALL;
