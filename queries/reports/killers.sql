-- Which tests kill each mutant; mutants that only one test kills.
--
-- killers counts the tests of a suite that kill the mutant in some environment, tests names them in
-- file order; cut_off counts those among them that ran out of time or crashed.
-- grain: suite x killed mutant
-- param subject = ''  only the subject of this name
-- param arm = ''  only this arm
-- param suite = ''  only the suite of this id
-- param mutant = ''  only the mutant of this name or id
-- param only_one = false  only mutants that a single test kills
WITH
suites AS (
    SELECT cell_suites.*, subjects.name AS subject
    FROM cell_suites
    JOIN subjects USING (experiment_id, subject_id)
    WHERE $subject IN ('', subjects.name)
        AND $arm IN ('', arm)
        AND $suite IN ('', suite_id)
),
grouped AS (
    SELECT
        kills.experiment_id,
        kills.suite_id,
        kills.mutant_id,
        list(kills.nodeid ORDER BY kills.ordinal) AS tests,
        list(kills.ordinal ORDER BY kills.ordinal) FILTER (is_cut_off(kills.outcome)) AS cut_off
    FROM kills
    SEMI JOIN suites USING (experiment_id, suite_id)
    GROUP BY ALL
),
killers AS (
    SELECT
        experiment_id,
        suite_id,
        mutant_id,
        one_each(tests) AS tests,
        len(one_each(tests)) AS killers,
        coalesce(len(one_each(cut_off)), 0) AS cut_off
    FROM grouped
    WHERE NOT $only_one OR len(one_each(tests)) = 1
)
SELECT
    suites.subject,
    suites.arm,
    suites.replicate,
    mutants.name AS mutant,
    mutants.path,
    mutants.line,
    mutants.operator,
    killers.killers,
    killers.cut_off,
    killers.tests,
    killers.suite_id,
    killers.mutant_id,
    killers.experiment_id
FROM killers
JOIN suites USING (experiment_id, suite_id)
JOIN mutants
    ON killers.experiment_id = mutants.experiment_id
    AND killers.mutant_id = mutants.mutant_id
    AND suites.subject_id = mutants.subject_id
WHERE $mutant IN ('', mutants.name, mutants.mutant_id)
ORDER BY
    killers.experiment_id,
    suites.subject,
    suites.arm,
    suites.replicate,
    mutants.ordinal
