from __future__ import annotations

import re
from pathlib import Path

import pytest

from configs.errors import ConfigError
from storage.database import connect
from storage.reports import Report, find_report, list_reports, param_values, run_report
from tests.storage.stores import Lab, mutant, subject

REPORTS = list_reports()
NAMES = [report.name for report in REPORTS]


def without_comments(sql: str) -> str:
    return re.sub(r"--[^\n]*", "", sql)


def test_the_questions_of_the_design_can_be_asked() -> None:
    wanted = {
        "mutation_score",
        "kill_matrix",
        "survivors",
        "killers",
        "suite_validity",
        "bug_locking",
        "operators",
        "slowest_tests",
        "events",
        "self_check",
        "compare_arms",
        "leaderboard",
        "conditions",
        "calls",
        "spend",
        "property_tests",
        "suspects",
        "flags",
        "environments",
    }
    assert set(NAMES) == wanted


@pytest.mark.parametrize("report", REPORTS, ids=NAMES)
def test_a_report_says_what_it_answers_its_grain_and_exactly_its_parameters(
    report: Report,
) -> None:
    assert len(report.answers) > 20
    assert "\n-- grain: " in report.sql
    used = set(re.findall(r"\$(\w+)", without_comments(report.sql)))
    assert used == {param.name for param in report.params}
    assert all(param.meaning for param in report.params)
    assert report.sql.count("-- param ") == len(report.params)


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_store_answers_with_an_empty_table(tmp_path: Path, name: str) -> None:
    with connect(str(tmp_path)) as database:
        result = run_report(database, name)
        assert result.rows() == []
        assert "experiment_id" in result.schema.names


@pytest.mark.parametrize("name", [name for name in NAMES if name != "self_check"])
def test_an_experiment_without_rows_answers_with_an_empty_table(lab: Lab, name: str) -> None:
    assert lab.ask(name) == []


def test_an_unknown_report_is_answered_with_the_nearest() -> None:
    with pytest.raises(
        ConfigError, match=r"no report mutation_scores; did you mean mutation_score"
    ):
        find_report("mutation_scores")
    with pytest.raises(ConfigError, match=r"no report xyz; there are bug_locking, calls, comp"):
        find_report("xyz")


def test_parameters_have_the_type_of_their_default() -> None:
    report = find_report("mutation_score")
    given = {"by": "all", "invalid_as_zero": "TRUE", "level": "0.9", "resamples": "50"}
    values = param_values(report, given)
    assert values["by"] == "all"
    assert values["invalid_as_zero"] is True
    assert values["level"] == 0.9
    assert values["resamples"] == 50
    assert values["subject"] == ""


def test_all_mistakes_in_parameters_are_told_together() -> None:
    report = find_report("mutation_score")
    with pytest.raises(ConfigError) as caught:
        param_values(report, {"resample": "3", "level": "high", "invalid_as_zero": "1"})
    assert caught.value.problems == [
        "report mutation_score has no param resample; did you mean resamples?",
        "param level of report mutation_score: 'high' is not a number",
        "param invalid_as_zero of report mutation_score: '1' is not true or false",
    ]
    with pytest.raises(ConfigError, match="report self_check has no param arm; it has none"):
        param_values(find_report("self_check"), {"arm": "x"})


def test_a_name_that_nothing_in_the_store_has_is_a_mistake(lab: Lab) -> None:
    alpha = subject("alpha")
    lab.subject(alpha, [mutant(alpha, "m")])
    lab.cell(alpha, "upstream", "k", {"m": "F"})
    with pytest.raises(ConfigError, match=r"param arm: there is no arm upsteam; did you mean upst"):
        lab.ask("survivors", arm="upsteam")
    with pytest.raises(ConfigError, match=r"param subject: there is no subject x; there are alpha"):
        lab.ask("survivors", subject="x")
    with pytest.raises(ConfigError, match=r"param b: there is no arm weak"):
        lab.ask("compare_arms", a="upstream", b="weak")


def test_a_wrong_grouping_is_a_mistake(lab: Lab) -> None:
    alpha = subject("alpha")
    lab.subject(alpha, [mutant(alpha, "m")])
    lab.cell(alpha, "upstream", "k", {"m": "F"})
    with pytest.raises(ConfigError, match="param by: one of subject, family, split, all"):
        lab.ask("mutation_score", by="colour")
