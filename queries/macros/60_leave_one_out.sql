-- A ratio of two sums over clusters with each cluster left out in turn: which one carries the
-- result? `clusters` names a relation (comparison, cluster, total, size), one row a cluster.
-- `estimate` is NULL where nothing is left. Grain: comparison x cluster left out.
CREATE OR REPLACE MACRO leave_one_out(clusters) AS TABLE
SELECT
    comparison,
    cluster AS left_out,
    (sum(total) OVER others)::DOUBLE / nullif(sum(size) OVER others, 0) AS estimate
FROM query_table(clusters)
WINDOW others AS (
    PARTITION BY comparison ORDER BY cluster
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW
);
