-- Attempts of model calls. Grain: attempt. Begun and never receipted is unreceipted only as long as
-- there is no receipt.
CREATE OR REPLACE VIEW call_attempts AS
SELECT *
FROM calls
QUALIFY row_number() OVER (
    PARTITION BY experiment_id, call_id, attempt ORDER BY verdict = 'unreceipted', ended_at
) = 1;
