-- Names that a report's subject may have.
SELECT DISTINCT name FROM subjects ORDER BY name
