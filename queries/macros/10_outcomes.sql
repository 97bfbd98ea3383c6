-- Whether an outcome on a mutant is one that kills, when the test is a kept one.
CREATE OR REPLACE MACRO is_kill(outcome) AS
    outcome IN ('failed', 'error', 'timeout', 'crashed');

-- Whether the process or the clock ended the test, so that it never gave a verdict of its own.
CREATE OR REPLACE MACRO is_cut_off(outcome) AS
    outcome IN ('timeout', 'crashed');

-- Verdict on a mutant, from how many kept tests killed it by failing, were cut off, reached it.
CREATE OR REPLACE MACRO verdict_of(kills, cut_off, reached) AS
    CASE
        WHEN kills > 0 THEN 'killed'
        WHEN cut_off > 0 THEN 'timeout'
        WHEN reached > 0 THEN 'survived'
        ELSE 'not_covered'
    END;
