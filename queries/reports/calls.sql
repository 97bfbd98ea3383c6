-- What became of each arm's model calls: how they ended, how often and how long they were tried.
--
-- A call ends as its last attempt does; usable is the share of calls that ended with stop, the only
-- verdict whose reply is used. truncated to unreceipted count calls by verdict: failed got no reply
-- after every try, unreceipted ones were begun and the driver ended before it kept what came.
-- retries are attempts beyond each call's first. http_errors are attempts answered with status 400
-- or more. Latencies are seconds of attempts that brought a reply, tokens are those that the
-- provider counted, reasoning included. finishes are the provider's own words, answered_by the
-- models that replies name, which may be dated versions of the one asked, or others.
-- grain: arm x model x role
-- param subject = ''  only the subject of this name
-- param arm = ''  only this arm
WITH
chosen AS (
    SELECT experiment_id, subject_id FROM subjects WHERE $subject IN ('', name)
),
tried AS (
    SELECT
        *,
        verdict NOT IN ('error', 'unreceipted') AS replied,
        epoch(ended_at - started_at) AS seconds
    FROM call_attempts
    SEMI JOIN chosen USING (experiment_id, subject_id)
    WHERE $arm IN ('', arm)
),
ended AS (
    SELECT *
    FROM call_ends
    SEMI JOIN chosen USING (experiment_id, subject_id)
    WHERE $arm IN ('', arm)
),
attempts_counted AS (
    SELECT
        experiment_id,
        arm,
        provider,
        model,
        role,
        count(*) AS attempts,
        count(*) FILTER (http_status >= 400) AS http_errors,
        quantile_cont(seconds, 0.5) FILTER (replied) AS p50_s,
        quantile_cont(seconds, 0.95) FILTER (replied) AS p95_s,
        quantile_cont(output_tokens, 0.5) AS p50_output,
        max(output_tokens) AS max_output,
        sum(output_tokens)::BIGINT AS output_tokens,
        sum(input_tokens)::BIGINT AS input_tokens,
        count(*) FILTER (replied AND output_tokens IS NULL) AS without_usage,
        tally(histogram(finish) FILTER (replied), '(none)') AS finishes,
        tally(histogram(answered_by) FILTER (replied), '(not said)') AS answered_by
    FROM tried
    GROUP BY ALL
),
calls_counted AS (
    SELECT
        experiment_id,
        arm,
        provider,
        model,
        role,
        count(*) AS calls,
        count(*) FILTER (verdict = 'stop') AS stopped,
        count(*) FILTER (verdict = 'length') AS truncated,
        count(*) FILTER (verdict = 'refused') AS refused,
        count(*) FILTER (verdict = 'empty') AS empty,
        count(*) FILTER (verdict = 'unknown') AS unknown,
        count(*) FILTER (verdict = 'error') AS failed,
        count(*) FILTER (verdict = 'unreceipted') AS unreceipted
    FROM ended
    GROUP BY ALL
)
SELECT
    arm,
    stopped / calls AS usable,
    calls,
    truncated,
    refused,
    empty,
    unknown,
    failed,
    unreceipted,
    attempts,
    attempts - calls AS retries,
    http_errors,
    p50_s,
    p95_s,
    p50_output,
    max_output,
    coalesce(finishes, []) AS finishes,
    coalesce(answered_by, []) AS answered_by,
    input_tokens,
    output_tokens,
    without_usage,
    role,
    provider,
    model,
    experiment_id
FROM attempts_counted
JOIN calls_counted USING (experiment_id, arm, provider, model, role)
ORDER BY experiment_id, arm, provider, model, role
