-- Anything out of the ordinary that happened, in the order of time.
-- grain: event
-- param kind = ''  only events of this kind
-- param subject = ''  only the subject of this name
WITH
named AS (
    SELECT events.*, coalesce(subjects.name, '') AS subject
    FROM events
    LEFT JOIN subjects USING (experiment_id, subject_id)
)
SELECT
    "at",
    kind,
    subject,
    detail,
    cell_id,
    suite_id,
    experiment_id
FROM named
WHERE $kind IN ('', kind) AND $subject IN ('', subject)
ORDER BY "at", kind, detail
