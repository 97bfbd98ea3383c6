-- Who wrote for each arm. Grain: arm. writer is the arm's model, or the arm where it has none.
CREATE OR REPLACE VIEW arms AS
WITH
named AS (
    SELECT experiment_id, arm, '' AS origin, '' AS model, '' AS called, '' AS condition
    FROM cells
    UNION ALL
    SELECT experiment_id, arm, origin, model, '' AS called, condition
    FROM suites
    UNION ALL
    SELECT experiment_id, arm, 'model' AS origin, '' AS model, provider || '/' || model, condition
    FROM calls
    WHERE role = 'writer'
),
joined AS (
    SELECT
        experiment_id,
        arm,
        max(origin) AS origin,
        coalesce(nullif(max(model), ''), max(called)) AS model,
        max(condition) AS condition
    FROM named
    GROUP BY ALL
)
SELECT *, coalesce(nullif(model, ''), arm) AS writer
FROM joined;
