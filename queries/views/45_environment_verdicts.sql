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
    experiment_id,
    subject_id,
    cell_id,
    arm,
    replicate,
    suite_id,
    environment,
    mutant_id,
    verdict,
    tests,
    kills,
    timeouts,
    crashes,
    reached
FROM judged('counted');
