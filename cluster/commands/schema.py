"""`killgrid schema`: the JSON schema of a config file."""

from __future__ import annotations

import json

import click

from cluster.commands.options import Command


@click.command(cls=Command, short_help="Print the JSON schema of a config file.")
def schema() -> None:
    """Print the JSON schema of a config file, for editors and for reading.

    \b
    Example:
      killgrid schema > killgrid.schema.json
    """
    from configs.schema import ExperimentConfig

    click.echo(json.dumps(ExperimentConfig.model_json_schema(), indent=2))
