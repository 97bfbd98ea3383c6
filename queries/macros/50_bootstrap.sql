-- Percentile bootstrap intervals (Efron and Tibshirani 1993, chapter 13), for every comparison of a
-- relation at once. `level` is the interval's, 0.95 for 95 %. NULL bounds where there are fewer
-- than two items to draw from: one item says nothing of how much items differ.
--
-- All items lie in one list, those of a comparison side by side behind `skipped` others, and draws
-- carry the comparison's number: both are much cheaper than a join for each draw. The keys are
-- distinct anyway; saying so makes DuckDB hand them out to all threads.

-- Mean of paired differences. `pairs` names a relation (comparison, pair, difference), one row a
-- pair; pairs are drawn. Grain: comparison.
CREATE OR REPLACE MACRO paired_bootstrap(pairs, resamples, level, seed) AS TABLE
WITH
items AS MATERIALIZED (
    SELECT
        dense_rank() OVER (ORDER BY comparison) AS number,
        comparison,
        pair,
        difference::DOUBLE AS difference
    FROM query_table(pairs)
),
pool AS (SELECT list(difference ORDER BY number, pair) AS pool FROM items),
samples AS MATERIALIZED (
    SELECT
        number,
        any_value(comparison) AS comparison,
        count(*) AS n,
        (sum(count(*)) OVER (ORDER BY number) - count(*))::BIGINT AS skipped,
        list_sum(list(difference ORDER BY pair)) / count(*) AS estimate
    FROM items
    GROUP BY number
),
places AS MATERIALIZED (
    SELECT range AS place, mix32(range) AS mixed
    FROM range((SELECT coalesce(max(n), 0)::BIGINT FROM samples))
),
keys AS MATERIALIZED (
    SELECT DISTINCT number, n, skipped, range AS resample, resample_key(seed, range) AS key
    FROM samples, range(resamples)
    WHERE n > 1
),
draws AS (
    SELECT number, resample, pool[skipped + drawn_item(key, mixed, n)] AS difference
    FROM keys, places, pool
    WHERE place < n
),
sums AS (
    SELECT number, resample, steady_sum(difference) AS total FROM draws GROUP BY number, resample
),
spread AS (
    SELECT number, list(total ORDER BY total) AS sorted FROM sums GROUP BY number
)
SELECT
    comparison,
    n,
    estimate,
    sorted_quantile(sorted, (1 - level) / 2) / n AS low,
    sorted_quantile(sorted, (1 + level) / 2) / n AS high
FROM samples
LEFT JOIN spread USING (number);

-- Ratio of two sums over clusters (mean of all members, when `size` counts them). `clusters` names
-- a relation (comparison, cluster, total, size), one row a cluster; whole clusters are drawn,
-- because members of one cluster are alike. Resamples whose sizes add up to 0 are left out. Grain:
-- comparison.
CREATE OR REPLACE MACRO cluster_bootstrap(clusters, resamples, level, seed) AS TABLE
WITH
items AS MATERIALIZED (
    SELECT
        dense_rank() OVER (ORDER BY comparison) AS number,
        comparison,
        cluster,
        total::DOUBLE AS total,
        size::DOUBLE AS size
    FROM query_table(clusters)
),
pool AS (
    SELECT
        list(total ORDER BY number, cluster) AS totals,
        list(size ORDER BY number, cluster) AS sizes
    FROM items
),
samples AS MATERIALIZED (
    SELECT
        number,
        any_value(comparison) AS comparison,
        count(*) AS n,
        (sum(count(*)) OVER (ORDER BY number) - count(*))::BIGINT AS skipped,
        list_sum(list(total ORDER BY cluster))
            / nullif(list_sum(list(size ORDER BY cluster)), 0) AS estimate
    FROM items
    GROUP BY number
),
places AS MATERIALIZED (
    SELECT range AS place, mix32(range) AS mixed
    FROM range((SELECT coalesce(max(n), 0)::BIGINT FROM samples))
),
keys AS MATERIALIZED (
    SELECT DISTINCT number, n, skipped, range AS resample, resample_key(seed, range) AS key
    FROM samples, range(resamples)
    WHERE n > 1
),
draws AS (
    SELECT number, resample, skipped + drawn_item(key, mixed, n) AS item, totals, sizes
    FROM keys, places, pool
    WHERE place < n
),
ratios AS (
    SELECT
        number,
        resample,
        steady_sum(totals[item]) / nullif(steady_sum(sizes[item]), 0) AS ratio
    FROM draws
    GROUP BY number, resample
),
spread AS (
    SELECT number, list(ratio ORDER BY ratio) FILTER (ratio IS NOT NULL) AS sorted
    FROM ratios
    GROUP BY number
)
SELECT
    comparison,
    n,
    estimate,
    sorted_quantile(sorted, (1 - level) / 2) AS low,
    sorted_quantile(sorted, (1 + level) / 2) AS high
FROM samples
LEFT JOIN spread USING (number);
