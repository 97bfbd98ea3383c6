"""`killgrid plan`: what an experiment would be."""

from __future__ import annotations

from pathlib import Path

import click

from cluster.commands.options import (
    Command,
    address_option,
    config_argument,
    cpus_option,
    quiet_option,
    set_option,
)


@click.command(cls=Command, short_help="Show what an experiment would run.")
@config_argument
@set_option
@address_option
@cpus_option
@quiet_option
@click.option("--no-run", is_flag=True, help="Run no suite: no validity and no estimated time.")
@click.option("--verbose", is_flag=True, help="List every piece of code that engines leave alone.")
def plan(
    file: Path,
    overrides: tuple[str, ...],
    address: str | None,
    cpus: int | None,
    quiet: bool,
    no_run: bool,
    verbose: bool,
) -> None:
    """Show what the experiment of a config FILE would run.

    Subjects, mutants by operator and status, what the engines leave alone and why, cells, and the
    estimated time. Baselines and controls of every suite are really run, and a few of its mutants
    for their time; nothing is scored and nothing is stored.

    \b
    Examples:
      killgrid plan configs/experiments/quickstart.yaml
      killgrid plan experiment.yaml --set mutants.0.limit=20 --verbose
      killgrid plan experiment.yaml --no-run
    """
    from cluster.commands.plan_text import plan_lines, rehearsal_lines
    from cluster.plan import make_plan
    from cluster.ray_tasks import cache_folder
    from configs.loading import load_config

    config = load_config(file, overrides)
    made = make_plan(config, file.parent, cache_folder())
    click.echo("\n".join(plan_lines(made, verbose)))
    if no_run:
        return
    from cluster.options import RunOptions
    from cluster.rehearsal import rehearse

    options = RunOptions(address=address, cpus=cpus, progress=not quiet)
    click.echo("\n".join(rehearsal_lines(rehearse(made, options))))
