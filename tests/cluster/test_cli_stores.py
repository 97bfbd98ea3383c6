"""Commands that read a store: which experiment they mean, and what they say when there is none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cluster.cli import main
from cluster.commands.choice import chosen_experiment
from cluster.commands.text import columns
from cluster.keys import cell_key
from configs.errors import NotFoundError
from storage.manifest import new_manifest, write_manifest
from storage.objects import open_store
from storage.units import commit_unit


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store with three experiments; the one in the middle of the alphabet is the newest."""
    objects = open_store(str(tmp_path / "results"))
    for number, name in enumerate(["alpha-11111111", "beta-33333333", "beta-22222222"]):
        manifest = new_manifest(name, name[:-9], {}, cells=2)
        write_manifest(objects, replace(manifest, created_at=f"2026-11-30T10:00:0{number}+00:00"))
    commit_unit(objects, "beta-22222222", {}, [cell_key("s/arm/0")])
    return objects.uri


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


@pytest.mark.parametrize(
    ("wanted", "expected", "note"),
    [
        (None, "beta-22222222", "beta-22222222 is the newest; --experiment: beta-33333333, alpha"),
        ("beta", "beta-22222222", "beta-22222222 is the newest; --experiment: beta-33333333 or"),
        ("beta-3", "beta-33333333", ""),
        ("beta-33333333", "beta-33333333", ""),
        ("all", None, ""),
    ],
)
def test_the_newest_that_fits_is_chosen_and_a_choice_is_said(
    store: str,
    wanted: str | None,
    expected: str | None,
    note: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert chosen_experiment(store, wanted) == expected
    said = capsys.readouterr()
    assert said.out == ""
    assert note in said.err if note else said.err == ""


def test_an_experiment_that_is_not_there_is_named_with_those_that_are(store: str) -> None:
    with pytest.raises(NotFoundError, match="no experiment begins with 'gamma'; alpha-11111111"):
        chosen_experiment(store, "gamma")


def test_a_store_with_nothing_in_it_has_no_experiment_and_is_no_error(tmp_path: Path) -> None:
    assert chosen_experiment(str(tmp_path), None) is None


@pytest.mark.parametrize("command", ["views", "status"])
def test_a_store_that_is_not_there_is_exit_code_3(tmp_path: Path, command: str) -> None:
    result = invoke(command, "--store", str(tmp_path / "none"))
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.startswith("killgrid: error: store ")


def test_views_are_sql_of_the_chosen_experiment(store: str) -> None:
    result = invoke("views", "--store", store, "--experiment", "alpha")
    assert result.exit_code == 0
    assert "alpha-11111111" in result.stdout
    assert "beta" not in result.stdout


def test_the_store_may_come_from_the_environment(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KILLGRID_STORE", store)
    assert invoke("status").exit_code == 0


def test_status_shows_every_experiment_with_its_cells(store: str) -> None:
    lines = invoke("status", "--store", store).stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["experiment", "cells"],
        ["alpha-11111111", "0/2"],
        ["beta-33333333", "0/2"],
        ["beta-22222222", "1/2"],
    ]


def test_status_shows_why_cells_are_missing(store: str) -> None:
    facts = {"cell:s/arm/1:missing": {"reason": "node lost"}}
    commit_unit(open_store(store), "beta-22222222", {}, ["other"], facts)
    result = invoke("status", "--store", store, "--experiment", "beta-2")
    assert result.stdout.splitlines()[-1] == "missing s/arm/1: node lost"


def test_columns_are_as_wide_as_their_widest_text() -> None:
    assert columns(("a", "number"), [("long text", "1"), ("b", "22")], right={1}) == [
        "a          number",
        "long text       1",
        "b              22",
    ]


def test_every_report_answers_an_experiment_with_no_results(store: str) -> None:
    for line in invoke("query").stdout.splitlines()[1:-2]:
        result = invoke("query", line.split()[0], "--store", store, "--format", "csv")
        assert result.exit_code == 0, result.stderr


def test_query_lists_reports_and_the_parameters_of_one() -> None:
    assert "mutation_score" in invoke("query").stdout
    listed = invoke("query", "mutation_score", "--list").stdout
    assert listed.startswith("mutation_score: ")
    assert any(line.startswith("by ") for line in listed.splitlines())


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["query", "mutation_scor"], "there is no report mutation_scor; did you mean mutation_sco"),
        (["query", "survivors", "--param", "arm"], "--param arm: must look like key=value"),
        (["query", "survivors", "--param", "army=x"], "did you mean arm?"),
        (["sql", "selec 1"], "query failed: Parser Error"),
        (["sql", "select * from execution"], "query failed: Catalog Error"),
        (["sql", "select 1", "--output", "/nowhere/x.csv"], "cannot write /nowhere/x.csv"),
    ],
)
def test_a_mistake_in_a_question_is_one_line_and_exit_code_2(
    store: str, arguments: list[str], expected: str
) -> None:
    result = invoke(*arguments, "--store", store, "--experiment", "all")
    assert (result.exit_code, result.stdout) == (2, "")
    assert expected in result.stderr
    assert result.stderr.count("\n") == 1


def test_sql_is_read_from_standard_input_for_a_dash(store: str) -> None:
    result = CliRunner().invoke(
        main,
        ["sql", "-", "--store", store, "--experiment", "all", "--format", "csv"],
        "SELECT 1 AS a",
    )
    assert result.stdout.splitlines()[1] == "1"
