-- Tests of the suites that count, where a bug was planted, and whether they lock it in. Grain:
-- test. wrong: it fails on every baseline run of some environment; locking: where it is wrong it
-- passes on a planted bug. locking is NULL when it is wrong, was not run on the bug in every
-- environment where it is, and passes nowhere: that cannot be told.
CREATE OR REPLACE VIEW locking_tests AS
WITH
planted AS (
    SELECT * FROM mutants WHERE planted AND status = 'ok'
),
tried AS (
    SELECT * FROM cell_suites SEMI JOIN planted USING (experiment_id, subject_id)
),
on_correct AS (
    SELECT
        experiment_id,
        suite_id,
        test_id,
        environment,
        nodeid,
        uses_hypothesis,
        len(baseline_outcomes) > 0
            AND len(list_filter(baseline_outcomes, lambda x: NOT is_kill(x))) = 0 AS wrong
    FROM tests
    SEMI JOIN tried USING (experiment_id, suite_id)
),
on_planted AS (
    SELECT experiment_id, test_id, environment, bool_or(outcome = 'passed') AS passes
    FROM executions
    SEMI JOIN planted USING (experiment_id, subject_id, mutant_id)
    SEMI JOIN (SELECT * FROM on_correct WHERE wrong) AS wrong_tests
        USING (experiment_id, test_id, environment)
    GROUP BY ALL
),
told AS (
    SELECT
        on_correct.experiment_id,
        on_correct.suite_id,
        on_correct.test_id,
        any_value(nodeid) AS nodeid,
        bool_or(uses_hypothesis) AS uses_hypothesis,
        bool_or(wrong) AS wrong,
        CASE
            WHEN bool_or(coalesce(passes, false)) THEN true
            WHEN count_if(wrong) = count(passes) THEN false
        END AS locking
    FROM on_correct
    LEFT JOIN on_planted USING (experiment_id, test_id, environment)
    GROUP BY ALL
)
SELECT
    tried.experiment_id,
    tried.subject_id,
    tried.cell_id,
    tried.arm,
    tried.replicate,
    told.suite_id,
    told.test_id,
    told.nodeid,
    told.uses_hypothesis,
    told.wrong,
    told.locking
FROM told
JOIN tried USING (experiment_id, suite_id);
