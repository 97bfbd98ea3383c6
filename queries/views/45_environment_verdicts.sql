-- Verdict of each valid suite on each mutant in each environment by itself; see verdicts. Grain:
-- suite x environment x mutant.
CREATE OR REPLACE VIEW environment_verdicts AS
WITH
counted AS (
    SELECT
        experiment_id,
        suite_id,
        environment,
        mutant_id,
        count(*) AS tests,
        count_if(is_kill(outcome) AND NOT is_cut_off(outcome)) AS kills,
        count_if(outcome = 'timeout') AS timeouts,
        count_if(outcome = 'crashed') AS crashes,
        count_if(executed) AS reached
    FROM executions
    WHERE may_kill
    GROUP BY ALL
)
SELECT
    counted.experiment_id,
    cell_suites.subject_id,
    cell_suites.cell_id,
    cell_suites.arm,
    cell_suites.replicate,
    counted.suite_id,
    counted.environment,
    counted.mutant_id,
    verdict_of(kills, timeouts + crashes, reached) AS verdict,
    tests,
    kills,
    timeouts,
    crashes,
    reached
FROM counted
JOIN (SELECT * FROM cell_suites WHERE valid) AS cell_suites USING (experiment_id, suite_id)
SEMI JOIN (SELECT * FROM mutants WHERE status = 'ok') AS live
    ON counted.experiment_id = live.experiment_id
    AND counted.mutant_id = live.mutant_id
    AND cell_suites.subject_id = live.subject_id;
