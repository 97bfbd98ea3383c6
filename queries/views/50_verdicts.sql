-- Verdict of each valid suite on each mutant, over all environments in which it is run: killed;
-- timeout (only timeouts or crashes kill); survived (some kept test executed the mutated code);
-- not_covered (none did). Grain: suite x mutant. Killed in one environment is killed; tests, kills
-- and the other counts are of tests x environments, environments of those that have a row. Suites
-- that are not valid, cells that are missing and mutants that cannot be run have no verdict. A row
-- that keeps its baseline outcome because it was not run has executed = false and so never kills.
CREATE OR REPLACE VIEW verdicts AS
FROM verdicts_of('executions');
