-- Names that a report's arm may have.
SELECT DISTINCT arm AS name FROM cells ORDER BY name
