"""Kills, verdicts and scores: the views over the matrix."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage import rows as make
from tests.storage.stores import KINDS, MARKS, Lab, matrix_row, mutant, subject, suite, validation

ALPHA = subject("alpha")
KILLING = {"failed", "error", "timeout", "crashed"}


def verdicts(lab: Lab) -> dict[tuple[str, str], str]:
    rows = lab.sql(
        "SELECT arm, mutants.name, verdict FROM verdicts "
        "JOIN mutants USING (experiment_id, subject_id, mutant_id)"
    )
    return {(row["arm"], row["name"]): row["verdict"] for row in rows}


def scores(lab: Lab, view: str = "suite_scores") -> dict[str, dict[str, Any]]:
    return {row["arm"]: row for row in lab.sql(f"FROM {view}")}


def mutants(lab: Lab, *names: str) -> None:
    lab.subject(ALPHA, [mutant(ALPHA, name) for name in names])


def test_the_verdict_goes_by_the_strongest_outcome_of_a_kept_test(lab: Lab) -> None:
    matrix = {
        "failed": "F-.",
        "error": ".E-",
        "both": "TF.",
        "timeout": ".T-",
        "crashed": "C..",
        "survived": "-.-",
        "skipped": "s--",
        "not_collected": "n--",
        "not_covered": "---",
    }
    mutants(lab, *matrix)
    lab.cell(ALPHA, "strong", "kkk", matrix)
    assert verdicts(lab) == {
        ("strong", "failed"): "killed",
        ("strong", "error"): "killed",
        ("strong", "both"): "killed",
        ("strong", "timeout"): "timeout",
        ("strong", "crashed"): "timeout",
        ("strong", "survived"): "survived",
        ("strong", "skipped"): "survived",
        ("strong", "not_collected"): "survived",
        ("strong", "not_covered"): "not_covered",
    }


def test_only_kept_tests_kill_and_only_they_count_as_near(lab: Lab) -> None:
    mutants(lab, "m1", "m2")
    lab.cell(ALPHA, "mixed", "kwyc", {"m1": ".FEF", "m2": "-..."})
    assert verdicts(lab) == {("mixed", "m1"): "survived", ("mixed", "m2"): "not_covered"}
    assert lab.sql("FROM kills") == []


def test_a_test_that_fails_without_reaching_the_mutant_kills_it_all_the_same(lab: Lab) -> None:
    mutants(lab, "m")
    lab.cell(ALPHA, "leaky", "kk", {"m": "-f"})
    assert verdicts(lab) == {("leaky", "m"): "killed"}


def test_every_killing_execution_is_a_row_of_kills(lab: Lab) -> None:
    mutants(lab, "m1", "m2")
    lab.cell(ALPHA, "strong", "kkkkk", {"m1": "FETC.", "m2": "....."})
    rows = lab.sql("SELECT ordinal, nodeid, outcome FROM kills ORDER BY ordinal")
    assert [tuple(row.values()) for row in rows] == [
        (0, "test_it.py::test_0", "failed"),
        (1, "test_it.py::test_1", "error"),
        (2, "test_it.py::test_2", "timeout"),
        (3, "test_it.py::test_3", "crashed"),
    ]


def test_missing_cells_have_neither_verdicts_nor_scores(lab: Lab) -> None:
    mutants(lab, "m1", "m2")
    lab.cell(ALPHA, "lost", "k", {"m1": "."}, state="missing", reason="node went away")
    assert verdicts(lab) == {}
    assert scores(lab) == scores(lab, "suite_scores_invalid_as_zero") == {}


def test_a_cell_that_was_missing_and_was_run_again_counts_once(lab: Lab) -> None:
    mutants(lab, "m")
    made = lab.cell(ALPHA, "again", "k", {"m": "F"})
    lost = make.CellState(
        "cell-alpha-again-0", ALPHA.subject_id, "again", 0, made.suite_id, "missing", attempts=3
    )
    lab.commit(cells=make.cell_rows(lab.experiment_id, [lost]))
    assert [row["status"] for row in lab.sql("FROM cell_states")] == ["done"]
    assert scores(lab)["again"]["score"] == 1.0


def test_a_suite_that_is_not_valid_has_no_verdict_even_where_it_was_run(lab: Lab) -> None:
    mutants(lab, "m")
    lab.cell(ALPHA, "wrong", "w", {"m": "F"}, status="no_kept_tests")
    lab.cell(ALPHA, "broken", "", status="syntax_error", reason="line 3")
    assert verdicts(lab) == {}
    assert scores(lab) == {}


def test_suites_that_are_not_valid_score_zero_only_where_the_name_says_so(lab: Lab) -> None:
    mutants(lab, "m1", "m2")
    lab.cell(ALPHA, "good", "k", {"m1": "F", "m2": "."})
    lab.cell(ALPHA, "broken", "", status="syntax_error")
    assert {arm: row["score"] for arm, row in scores(lab).items()} == {"good": 0.5}
    strict = scores(lab, "suite_scores_invalid_as_zero")
    assert {arm: row["score"] for arm, row in strict.items()} == {"good": 0.5, "broken": 0.0}
    assert strict["broken"]["survived"] is None
    assert strict["broken"]["mutants"] == 2


def test_only_mutants_that_could_be_run_count(lab: Lab) -> None:
    status = {"ok": "ok", "bad": "uncompilable", "twin": "duplicate", "same": "equivalent_bytecode"}
    lab.subject(ALPHA, [mutant(ALPHA, name, status=value) for name, value in status.items()])
    lab.cell(ALPHA, "strong", "k", {"ok": "F", "twin": "."})
    assert verdicts(lab) == {("strong", "ok"): "killed"}
    assert scores(lab)["strong"]["mutants"] == 1
    assert scores(lab)["strong"]["score"] == 1.0


def test_a_suite_that_lacks_the_row_of_a_mutant_has_no_score(lab: Lab) -> None:
    mutants(lab, "m1", "m2")
    lab.cell(ALPHA, "short", "k", {"m1": "F"})
    row = scores(lab)["short"]
    assert (row["judged"], row["mutants"], row["complete"]) == (1, 2, False)
    assert row["score"] is None
    assert scores(lab, "suite_scores_invalid_as_zero")["short"]["score"] is None


def test_a_subject_without_mutants_has_no_score(lab: Lab) -> None:
    mutants(lab)
    lab.cell(ALPHA, "strong", "k")
    assert scores(lab)["strong"]["score"] is None
    lab.cell(ALPHA, "broken", "", status="syntax_error")
    assert scores(lab, "suite_scores_invalid_as_zero")["broken"]["score"] is None


def test_rows_that_stop_at_the_first_kill_are_judged_all_the_same(lab: Lab) -> None:
    mutants(lab, "m1", "m2")
    lab.cell(ALPHA, "quick", "kkk", {"m1": ".F", "m2": "..."})
    assert verdicts(lab) == {("quick", "m1"): "killed", ("quick", "m2"): "survived"}
    assert scores(lab)["quick"]["complete"]


def test_rows_of_one_suite_may_lie_in_several_units(lab: Lab) -> None:
    mutants(lab, "m1", "m2")
    made = suite(ALPHA, "sharded")
    lab.cell(ALPHA, "sharded", "kk", {"m1": "F."})
    rows = [matrix_row("mutant-alpha-m2", ".F")]
    about = (lab.experiment_id, "cell-alpha-sharded-0", made, validation(made, "kk"))
    lab.commit(["shard"], executions=make.execution_rows(*about, "default", rows))
    assert scores(lab)["sharded"]["score"] == 1.0


def judge(kinds: str, marks: str) -> str:
    """The verdict of design section 5, said in Python."""
    entries = [MARKS[mark] for kind, mark in zip(kinds, marks, strict=True) if not KINDS[kind][0]]
    outcomes = {outcome for outcome, _ in entries}
    if outcomes & {"failed", "error"}:
        return "killed"
    if outcomes & {"timeout", "crashed"}:
        return "timeout"
    return "survived" if any(executed for _, executed in entries) else "not_covered"


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_verdicts_are_those_of_the_definition(tmp_path_factory: Any, data: st.DataObject) -> None:
    lab = Lab(tmp_path_factory.mktemp("store"))
    names = [f"m{number}" for number in range(data.draw(st.integers(1, 9)))]
    mutants(lab, *names)
    expected = {}
    for arm in ("one", "two"):
        kinds = "k" + data.draw(st.text("kwycs", max_size=6))
        row = st.text("".join(MARKS), min_size=len(kinds), max_size=len(kinds))
        matrix = {name: data.draw(row) for name in names}
        lab.cell(ALPHA, arm, kinds, matrix)
        expected |= {(arm, name): judge(kinds, marks) for name, marks in matrix.items()}
    assert verdicts(lab) == expected
    for arm, found in scores(lab).items():
        caught = [expected[arm, name] in ("killed", "timeout") for name in names]
        assert found["score"] == sum(caught) / len(names)
