"""`killgrid plan`: what an experiment would be."""

from __future__ import annotations

from pathlib import Path

import click

from cluster.commands.options import Command, config_argument, set_option


@click.command(cls=Command, short_help="Show what an experiment would run.")
@config_argument
@set_option
@click.option("--verbose", is_flag=True, help="List every piece of code that engines leave alone.")
def plan(file: Path, overrides: tuple[str, ...], verbose: bool) -> None:
    """Show what the experiment of a config FILE would run.

    Subjects, mutants by operator and status, what the engines leave alone and why, and cells.

    \b
    Examples:
      killgrid plan configs/experiments/quickstart.yaml
      killgrid plan experiment.yaml --set mutants.0.limit=20 --verbose
    """
    from cluster.commands.plan_text import plan_lines
    from cluster.plan import make_plan
    from cluster.ray_tasks import cache_folder
    from configs.loading import load_config

    config = load_config(file, overrides)
    made = make_plan(config, file.parent, cache_folder())
    click.echo("\n".join(plan_lines(made, verbose)))
