-- Verdict of each valid suite on each mutant, over all environments in which it is run: killed;
-- timeout (only timeouts or crashes kill); survived (some kept test executed the mutated code);
-- not_covered (none did). Grain: suite x mutant. Killed in one environment is killed; tests, kills
-- and the other counts are of tests x environments, environments of those that have a row. Suites
-- that are not valid, cells that are missing and mutants that cannot be run have no verdict. A row
-- that keeps its baseline outcome because it was not run has executed = false and so never kills.
CREATE OR REPLACE VIEW verdicts AS
WITH
counted AS (
    SELECT
        executions.experiment_id,
        executions.suite_id,
        executions.mutant_id,
        count(*) AS tests,
        count_if(is_kill(outcome) AND NOT is_cut_off(outcome)) AS kills,
        count_if(outcome = 'timeout') AS timeouts,
        count_if(outcome = 'crashed') AS crashes,
        count_if(executions.executed) AS reached,
        -- One bit an environment: counting distinct names would cost a hash table for each mutant.
        bit_count(bit_or(1::UBIGINT << kept_tests.place)) AS environments
    FROM executions
    JOIN kept_tests USING (experiment_id, test_id, environment)
    GROUP BY ALL
)
SELECT
    counted.experiment_id,
    cell_suites.subject_id,
    cell_suites.cell_id,
    cell_suites.arm,
    cell_suites.replicate,
    counted.suite_id,
    counted.mutant_id,
    verdict_of(kills, timeouts + crashes, reached) AS verdict,
    tests,
    kills,
    timeouts,
    crashes,
    reached,
    environments
FROM counted
JOIN cell_suites USING (experiment_id, suite_id)
SEMI JOIN (SELECT * FROM mutants WHERE status = 'ok') AS live
    ON counted.experiment_id = live.experiment_id
    AND counted.mutant_id = live.mutant_id
    AND cell_suites.subject_id = live.subject_id;
