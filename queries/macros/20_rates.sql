-- Share of mutants that a suite kills, 0 to 1. NULL, not 0, when there is no mutant to kill.
CREATE OR REPLACE MACRO mutation_score(killed, total) AS
    CASE WHEN total > 0 THEN killed / total::DOUBLE END;

-- Share of suites that are valid, 0 to 1. NULL when there is no suite.
CREATE OR REPLACE MACRO validity(valid, total) AS
    CASE WHEN total > 0 THEN valid / total::DOUBLE END;

-- Dollars for each mutant killed. NULL when nothing was killed or the cost is not known.
CREATE OR REPLACE MACRO cost_per_kill(cost_usd, kills) AS
    CASE WHEN kills > 0 AND cost_usd IS NOT NULL THEN cost_usd / kills END;

-- A sum that is NULL as soon as one of its terms is: a total that lacks a part is not known.
CREATE OR REPLACE MACRO known_sum(term) AS
    CASE WHEN count(*) = count(term) THEN sum(term) END;
