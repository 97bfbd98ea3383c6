"""`killgrid query`: named questions to the results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cluster.commands.choice import chosen_experiment
from cluster.commands.options import (
    Command,
    experiment_option,
    format_option,
    output_option,
    store_option,
)
from cluster.commands.text import columns
from configs.errors import ConfigError

if TYPE_CHECKING:
    from storage.reports import Report


@click.command(cls=Command, short_help="Answer a named question about the results.")
@click.argument("name", required=False)
@click.option("--list", "listed", is_flag=True, help="List the reports, or NAME's parameters.")
@click.option(
    "--param", "params", multiple=True, metavar="KEY=VALUE", help="Value of a report's parameter."
)
@store_option
@experiment_option
@format_option
@output_option
def query(
    name: str | None,
    listed: bool,
    params: tuple[str, ...],
    store: str,
    experiment: str | None,
    form: str,
    output: Path | None,
) -> None:
    """Answer the question NAME about the results of a store; with no NAME, list the questions.

    \b
    Examples:
      killgrid query
      killgrid query survivors --list
      killgrid query mutation_score --store results/quickstart
      killgrid query survivors --param arm=upstream --format json
      killgrid query kill_matrix --format parquet --output matrix.parquet
    """
    from storage.reports import find_report, list_reports

    if name is None:
        click.echo("\n".join(_all(list_reports())))
        return
    report = find_report(name)
    if listed:
        click.echo("\n".join(_one(report)))
        return
    from storage.database import connect
    from storage.render import render
    from storage.reports import run_report

    given = _parsed(params)
    with connect(store, chosen_experiment(store, experiment)) as database:
        render(run_report(database, name, given), form, output)


def _all(reports: list[Report]) -> list[str]:
    rows = [(report.name, report.answers) for report in reports]
    return [*columns(("report", "answers"), rows), "", "killgrid query REPORT --list says more"]


def _one(report: Report) -> list[str]:
    rows = [(param.name, repr(param.default), param.meaning) for param in report.params]
    lines = [f"{report.name}: {report.answers}"]
    return [*lines, "", *columns(("param", "default", "meaning"), rows)] if rows else lines


def _parsed(params: tuple[str, ...]) -> dict[str, str]:
    found, problems = {}, []
    for text in params:
        key, equals, value = text.partition("=")
        if not equals or not key:
            problems.append(f"--param {text}: must look like key=value")
        found[key] = value
    if problems:
        raise ConfigError(problems)
    return found
