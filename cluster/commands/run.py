"""`killgrid run`: carry out an experiment, or finish one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cluster.commands.options import (
    Command,
    address_option,
    config_argument,
    cpus_option,
    quiet_option,
    set_option,
)

if TYPE_CHECKING:
    from cluster.options import RunSummary


@click.command(cls=Command, short_help="Carry out an experiment, or finish one.")
@config_argument
@set_option
@click.option("--store", metavar="URI", help="Where results go, in place of the config's store.")
@click.option(
    "--ask-lost",
    is_flag=True,
    help="Ask again where a model call's receipt was lost; it may have been billed already.",
)
@address_option
@cpus_option
@quiet_option
def run(
    file: Path,
    overrides: tuple[str, ...],
    store: str | None,
    ask_lost: bool,
    address: str | None,
    cpus: int | None,
    quiet: bool,
) -> None:
    """Carry out the experiment of a config FILE.

    What is stored already is not done again: after an interruption of any kind the same command
    finishes the rest.

    \b
    Examples:
      killgrid run configs/experiments/quickstart.yaml
      killgrid run experiment.yaml --store /data/results --set replicates=3
      killgrid run experiment.yaml --address 10.0.0.1:6379
      killgrid run configs/experiments/green_tests.yaml --set 'models=["openai/gpt-5"]'
    """
    from cluster.driver import run_experiment
    from cluster.options import RunOptions
    from configs.loading import load_config

    config = load_config(file, overrides)
    options = RunOptions(
        address=address, store=store, cpus=cpus, progress=not quiet, ask_lost=ask_lost
    )
    summary = run_experiment(config, file.parent, options)
    click.echo(describe(summary, store or config.store))
    summary.verify()


def describe(summary: RunSummary, store: str) -> str:
    """What a run did, and how to ask for its results."""
    before = f", {summary.done_before} of them before" if summary.done_before else ""
    asked = f"{summary.calls:,} model calls, ${summary.spent_usd:.2f} spent so far; "
    asked = asked if summary.calls or summary.spent_usd else ""
    took = f"{summary.wall_s:.0f} s, {summary.ray_start_s:.0f} s of them Ray's start"
    return "\n".join(
        [
            f"{summary.experiment_id}: {summary.done} of {summary.cells} cells{before}; "
            f"{asked}{summary.executions:,} outcomes in {took}",
            f"killgrid query mutation_score --store {store}",
        ]
    )
