-- Where trouble is spread unequally, in words: 'truncated 40 %, others 0 %'. `shares` names a
-- relation (experiment_id, side, kind, hits, total), one row a side and kind of trouble. A kind is
-- told when a side's share is `gap` or more away from the share of all other sides together, or
-- from 0 when there is no other. Grain: side that has something to tell.
CREATE OR REPLACE MACRO asymmetries(shares, gap) AS TABLE
WITH
compared AS (
    SELECT
        experiment_id,
        side,
        kind,
        hits / total AS here,
        (sum(hits) OVER others)::DOUBLE / (sum(total) OVER others) AS elsewhere
    FROM query_table(shares)
    WHERE total > 0
    WINDOW others AS (
        PARTITION BY experiment_id, kind ORDER BY side
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW
    )
)
SELECT
    experiment_id,
    side,
    string_agg(
        kind || ' ' || round(100 * here)::INTEGER || ' %'
        || coalesce(', others ' || round(100 * elsewhere)::INTEGER || ' %', ''),
        '; ' ORDER BY abs(here - coalesce(elsewhere, 0)) DESC, kind
    ) AS warning
FROM compared
WHERE abs(here - coalesce(elsewhere, 0)) >= gap
GROUP BY ALL;
