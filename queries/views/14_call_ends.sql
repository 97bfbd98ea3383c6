-- How each model call ended: its last attempt, and how many it took. Grain: call.
CREATE OR REPLACE VIEW call_ends AS
SELECT *, count(*) OVER calls AS attempts
FROM call_attempts
WINDOW calls AS (PARTITION BY experiment_id, call_id)
QUALIFY attempt = max(attempt) OVER calls;
