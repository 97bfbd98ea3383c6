-- What was done to generated texts before they became suites, counted for each arm.
--
-- share is of all suites of the arm, draws and rounds that do not count included; others is the
-- share in all other arms together.
-- grain: arm x flag
-- param subject = ''  only the subject of this name
-- param arm = ''  only this arm
WITH
chosen AS (
    SELECT suites.*
    FROM suites
    JOIN subjects USING (experiment_id, subject_id)
    WHERE $subject IN ('', subjects.name)
),
sizes AS (
    SELECT
        experiment_id,
        arm,
        count(*) AS suites,
        sum(count(*)) OVER (PARTITION BY experiment_id) - count(*) AS other_suites
    FROM chosen
    GROUP BY experiment_id, arm
),
flagged AS (
    SELECT experiment_id, arm, suite_id, unnest(list_distinct(flags)) AS flag FROM chosen
),
totals AS (
    SELECT experiment_id, flag, count(*) AS flagged FROM flagged GROUP BY ALL
),
counted AS (
    SELECT experiment_id, arm, flag, count(*) AS flagged FROM flagged GROUP BY ALL
)
SELECT
    counted.arm,
    counted.flag,
    counted.flagged / sizes.suites AS share,
    (totals.flagged - counted.flagged) / nullif(sizes.other_suites, 0) AS others,
    counted.flagged,
    sizes.suites,
    counted.experiment_id
FROM counted
JOIN sizes USING (experiment_id, arm)
JOIN totals USING (experiment_id, flag)
WHERE $arm IN ('', arm)
ORDER BY experiment_id, arm, counted.flagged DESC, flag
