"""`killgrid views`: the SQL that any DuckDB client can load."""

from __future__ import annotations

import click

from cluster.commands.choice import chosen_experiment
from cluster.commands.options import Command, experiment_option, store_option


@click.command(cls=Command, short_help="Print the tables, macros and views as SQL for DuckDB.")
@store_option
@experiment_option
def views(store: str, experiment: str | None) -> None:
    """Print the SQL that makes the results' tables, macros and views in any DuckDB client.

    \b
    Examples:
      killgrid views --store results/quickstart > killgrid.sql
      duckdb -init killgrid.sql
    """
    from storage.database import views_sql

    click.echo(views_sql(store, chosen_experiment(store, experiment)))
