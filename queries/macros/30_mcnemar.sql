-- Exact McNemar test of paired yes-or-no results: two-sided p value from the discordant pairs.
--
-- only_a, only_b: numbers of pairs in which only the one or only the other says yes. With
-- n = only_a + only_b and X ~ Binomial(n, 1/2), p = min(1, 2 P(X <= min(only_a, only_b))); 1 when
-- there are no discordant pairs. (McNemar 1947; the doubled smaller tail is scipy's
-- binomtest(only_a, n, 0.5) and statsmodels' mcnemar(exact=True).)
--
-- Terms of the binomial are taken relative to the one in the middle, each from its neighbour by
-- k / (n - k + 1), so that nothing overflows and no logarithm loses digits; 20 sqrt(n) terms from
-- the middle they are below 1e-300.
CREATE OR REPLACE MACRO mcnemar_p(only_a, only_b) AS (
    WITH pairs AS (
        SELECT
            (only_a + only_b)::BIGINT AS n,
            least(only_a, only_b)::BIGINT AS smaller,
            ((only_a + only_b) // 2)::BIGINT AS middle
    ),
    sums AS (
        SELECT
            n,
            list_reduce(
                range(middle, greatest(0, middle - 20 * ceil(sqrt(n))::BIGINT), -1),
                lambda sofar, k: {
                    'term': sofar.term * k / (n - k + 1),
                    'half': sofar.half + sofar.term * k / (n - k + 1),
                    'tail': sofar.tail
                        + CASE WHEN k - 1 <= smaller THEN sofar.term * k / (n - k + 1) ELSE 0 END
                },
                {
                    'term': 1::DOUBLE,
                    'half': 1::DOUBLE,
                    'tail': CASE WHEN middle <= smaller THEN 1::DOUBLE ELSE 0::DOUBLE END
                }
            ) AS reduced
        FROM pairs
    )
    SELECT
        CASE
            WHEN n IS NULL THEN NULL
            WHEN n = 0 THEN 1::DOUBLE
            ELSE least(
                1::DOUBLE,
                2 * reduced.tail / (2 * reduced.half - CASE WHEN n % 2 = 0 THEN 1 ELSE 0 END)
            )
        END
    FROM sums
);
