-- The reference on trial: tests of several writers that fail on the correct code in the same way.
--
-- Where writers who do not know of each other expect the same thing, it may be the reference that
-- is wrong. The same way: same subject, exception and message, without the failing line and other
-- things that only say where. All suites are looked at, also draws that did not count. locking
-- counts tests among them that pass on a planted bug: writers who were shown that bug agree because
-- of it, which says nothing against the reference, so findings with few of them come first.
-- grain: subject x way to fail
-- param subject = ''  only the subject of this name
-- param writers = 2  at least so many writers (models, or arms without one)
WITH
failing AS (
    SELECT
        tests.experiment_id,
        tests.subject_id,
        tests.test_id,
        tests.suite_id,
        tests.nodeid,
        tests.exception,
        plain_message(tests.message) AS message,
        arms.writer,
        suites.arm
    FROM tests
    JOIN suites USING (experiment_id, suite_id)
    JOIN arms
        ON suites.experiment_id = arms.experiment_id
        AND suites.arm = arms.arm
    WHERE NOT tests.kept
        AND tests.dropped_reason = 'wrong_oracle'
        AND tests.exception <> ''
),
locking AS (
    SELECT DISTINCT experiment_id, test_id FROM locking_tests WHERE locking
),
ways AS (
    SELECT
        experiment_id,
        subject_id,
        exception,
        message,
        count(DISTINCT writer) AS writers,
        count(DISTINCT arm) AS arms,
        count(DISTINCT suite_id) AS suites,
        count(DISTINCT test_id) AS tests,
        count(DISTINCT test_id) FILTER (locking.test_id IS NOT NULL) AS locking,
        list(DISTINCT writer ORDER BY writer) AS who,
        arg_min(nodeid, test_id) AS example,
        min(test_id) AS test_id
    FROM failing
    LEFT JOIN locking USING (experiment_id, test_id)
    GROUP BY ALL
    HAVING count(DISTINCT writer) >= $writers
)
SELECT
    subjects.name AS subject,
    writers,
    tests,
    locking,
    exception,
    message,
    who,
    example,
    arms,
    suites,
    test_id,
    experiment_id
FROM ways
JOIN subjects USING (experiment_id, subject_id)
WHERE $subject IN ('', subjects.name)
ORDER BY experiment_id, locking / tests, writers DESC, tests DESC, subject, exception, message
