-- What the model calls of each cell cost in US dollars, all draws, rounds and tries together. Grain:
-- cell that called a model. known_usd adds the costs that are known, NULL when none is;
-- unknown_costs counts the attempts whose cost is not, which is not zero.
CREATE OR REPLACE VIEW cell_costs AS
SELECT
    experiment_id,
    cell_id,
    any_value(subject_id) AS subject_id,
    any_value(arm) AS arm,
    count(DISTINCT call_id) AS calls,
    count(*) AS attempts,
    sum(cost_usd) AS known_usd,
    count(*) - count(cost_usd) AS unknown_costs
FROM call_attempts
GROUP BY experiment_id, cell_id;
