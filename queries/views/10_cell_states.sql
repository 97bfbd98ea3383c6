-- How each cell stands. Grain: cell. A cell that was missing and was run again later is done.
CREATE OR REPLACE VIEW cell_states AS
SELECT *
FROM cells
QUALIFY row_number() OVER (
    PARTITION BY experiment_id, cell_id ORDER BY status = 'done' DESC, attempts DESC, suite_id
) = 1;
