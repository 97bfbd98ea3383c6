"""`killgrid sql`: any question to the results."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from cluster.commands.choice import chosen_experiment
from cluster.commands.options import (
    Command,
    experiment_option,
    format_option,
    output_option,
    store_option,
)


@click.command(cls=Command, short_help="Answer one SQL statement about the results.")
@click.argument("statement")
@store_option
@experiment_option
@format_option
@output_option
def sql(statement: str, store: str, experiment: str | None, form: str, output: Path | None) -> None:
    """Answer an SQL STATEMENT in DuckDB's dialect; with - it is read from standard input.

    Tables, macros and views are those that `killgrid views` prints.

    \b
    Examples:
      killgrid sql "select outcome, count(*) from executions group by all"
      killgrid sql "from verdicts" --store results/quickstart --format csv --output verdicts.csv
      killgrid sql - < question.sql
    """
    from storage.database import connect
    from storage.render import render

    text = sys.stdin.read() if statement == "-" else statement
    with connect(store, chosen_experiment(store, experiment)) as database:
        render(database.query(text), form, output)
