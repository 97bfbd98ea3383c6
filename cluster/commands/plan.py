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
@click.option("--show-prompts", is_flag=True, help="Print what models are asked, as it is sent.")
@click.option("--verbose", is_flag=True, help="List every piece of code that engines leave alone.")
def plan(
    file: Path,
    overrides: tuple[str, ...],
    address: str | None,
    cpus: int | None,
    quiet: bool,
    no_run: bool,
    show_prompts: bool,
    verbose: bool,
) -> None:
    """Show what the experiment of a config FILE would run.

    Subjects, mutants by operator and status, what the engines leave alone and why, cells, model
    calls with the most that they can cost, and the estimated time. Baselines and controls of every
    suite that exists are really run, and a few of its mutants for their time; no model is asked,
    nothing is scored and nothing is stored.

    \b
    Examples:
      killgrid plan configs/experiments/quickstart.yaml
      killgrid plan experiment.yaml --set mutants.0.limit=20 --verbose
      killgrid plan experiment.yaml --no-run --show-prompts
    """
    from cluster.commands.calls_text import prompt_lines
    from cluster.commands.plan_text import plan_lines, rehearsal_lines
    from cluster.estimates import check_prices
    from cluster.plan import make_plan
    from cluster.ray_tasks import cache_folder
    from configs.loading import load_config

    config = load_config(file, overrides)
    made = make_plan(config, file.parent, cache_folder())
    click.echo("\n".join(plan_lines(made, verbose)))
    if show_prompts:
        click.echo("\n".join(prompt_lines(made)))
    check_prices(made)
    if no_run or not any(cell.suite for cell in made.cells):
        return
    from cluster.options import RunOptions
    from cluster.rehearsal import rehearse

    options = RunOptions(address=address, cpus=cpus, progress=not quiet)
    click.echo("\n".join(rehearsal_lines(rehearse(made, options))))
