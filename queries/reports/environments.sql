-- Bugs that are caught in some environments only, such as under one time zone.
--
-- met counts suites x mutants with a verdict in this environment and in another; caught those of
-- them that are caught here, only_here those caught here and in no other environment, not_here
-- those caught elsewhere only. planted_only_here counts planted bugs among only_here; examples names
-- mutants caught only here. valid counts suites that are valid here: in an environment where it is
-- not, a suite is run on no mutant. With a single environment there is nothing to compare.
-- grain: arm x environment
-- param subject = ''  only the subject of this name
-- param arm = ''  only this arm
WITH
chosen AS (
    SELECT experiment_id, subject_id FROM subjects WHERE $subject IN ('', name)
),
judged AS (
    SELECT *, verdict IN ('killed', 'timeout') AS caught
    FROM environment_verdicts
    SEMI JOIN chosen USING (experiment_id, subject_id)
    WHERE $arm IN ('', arm)
),
compared AS (
    SELECT
        *,
        count(*) OVER everywhere AS places,
        count_if(caught) OVER everywhere AS catching
    FROM judged
    WINDOW everywhere AS (PARTITION BY experiment_id, suite_id, mutant_id)
),
met AS (
    SELECT compared.*, mutants.name, mutants.planted
    FROM compared
    JOIN mutants USING (experiment_id, subject_id, mutant_id)
    WHERE places > 1
),
counted AS (
    SELECT
        experiment_id,
        arm,
        environment,
        count(*) AS met,
        count(*) FILTER (caught) AS caught,
        count(*) FILTER (caught AND catching = 1) AS only_here,
        count(*) FILTER (NOT caught AND catching > 0) AS not_here,
        count(*) FILTER (caught AND catching = 1 AND planted) AS planted_only_here,
        coalesce(min(DISTINCT name, 3) FILTER (caught AND catching = 1), []) AS examples
    FROM met
    GROUP BY ALL
),
tried AS (
    SELECT
        validations.experiment_id,
        cell_suites.arm,
        validations.environment,
        bool_or(validations."primary") AS "primary",
        count(*) AS suites,
        count(*) FILTER (validations.status = 'valid') AS valid
    FROM validations
    JOIN cell_suites USING (experiment_id, suite_id)
    SEMI JOIN chosen
        ON cell_suites.experiment_id = chosen.experiment_id
        AND cell_suites.subject_id = chosen.subject_id
    WHERE $arm IN ('', cell_suites.arm)
    GROUP BY ALL
)
SELECT
    arm,
    environment,
    only_here,
    planted_only_here,
    not_here,
    mutation_score(caught, met) AS score,
    coalesce(met, 0) AS met,
    coalesce(caught, 0) AS caught,
    valid,
    suites,
    coalesce(examples, []) AS examples,
    "primary",
    experiment_id
FROM tried
LEFT JOIN counted USING (experiment_id, arm, environment)
ORDER BY experiment_id, arm, "primary" DESC, environment
