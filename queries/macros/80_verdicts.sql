-- Counts of rows by suite and mutant, with the verdict that follows from them and the cell: those of
-- valid suites of finished cells and of mutants that can be run. `counts` names a table or CTE.
CREATE OR REPLACE MACRO judged(counts) AS TABLE
SELECT
    counted.*,
    cell_suites.subject_id,
    cell_suites.cell_id,
    cell_suites.arm,
    cell_suites.replicate,
    verdict_of(kills, timeouts + crashes, reached) AS verdict
FROM query_table(counts) AS counted
JOIN (SELECT * FROM cell_suites WHERE valid) AS cell_suites USING (experiment_id, suite_id)
SEMI JOIN (SELECT * FROM mutants WHERE status = 'ok') AS live
    ON counted.experiment_id = live.experiment_id
    AND counted.mutant_id = live.mutant_id
    AND cell_suites.subject_id = live.subject_id;

-- Verdict of each valid suite on each mutant, over all environments in which rows are, of a table
-- or CTE of executions; see the view verdicts.
CREATE OR REPLACE MACRO verdicts_of(rows) AS TABLE
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
        count_if(executed) AS reached,
        -- One bit an environment: counting distinct names would cost a hash table for each mutant.
        bit_count(bit_or(1::UBIGINT << environments.place)) AS environments
    FROM query_table(rows) AS executions
    JOIN environments USING (experiment_id, environment)
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
    mutant_id,
    verdict,
    tests,
    kills,
    timeouts,
    crashes,
    reached,
    environments
FROM judged('counted');
