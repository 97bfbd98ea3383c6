-- Whether an outcome on a mutant is one that kills, when the test is a kept one.
CREATE OR REPLACE MACRO is_kill(outcome) AS
    outcome IN ('failed', 'error', 'timeout', 'crashed');

-- Whether the process or the clock ended the test, so that it never gave a verdict of its own.
CREATE OR REPLACE MACRO is_cut_off(outcome) AS
    outcome IN ('timeout', 'crashed');
