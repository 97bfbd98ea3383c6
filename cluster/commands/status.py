"""`killgrid status`: how far the experiments of a store are."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from cluster.commands.options import Command, store_option
from cluster.commands.text import columns

if TYPE_CHECKING:
    from cluster.status import ExperimentStatus

SHOWN = 5


@click.command(cls=Command, short_help="How far the experiments of a store are.")
@store_option
@click.option("--experiment", default="", metavar="ID", help="Only ids that begin so.")
@click.option("--follow", is_flag=True, help="Again and again, until no cell is left.")
@click.option(
    "--every", type=click.FloatRange(min=0.1), default=10.0, help="Seconds between two looks."
)
def status(store: str, experiment: str, follow: bool, every: float) -> None:
    """Show how far the experiments of a store are, from what is stored alone.

    \b
    Examples:
      killgrid status --store results/quickstart
      killgrid status --follow --every 60
    """
    from cluster.status import read_status

    before = ""
    while True:
        found = read_status(store, experiment)
        text = "\n".join(_table(found) + _drivers(found) + _missing(found))
        if text != before:
            click.echo(text)
        if not follow or all(each.done + len(each.missing) >= each.cells for each in found):
            return
        before = text
        time.sleep(every)


def _table(found: list[ExperimentStatus]) -> list[str]:
    rows = [
        (
            each.experiment_id,
            f"{each.done}/{each.cells}",
            str(len(each.missing)),
            f"{each.executions:,}",
            str(each.disagreements),
            each.created_at,
            each.last_commit,
        )
        for each in found
    ]
    header = ("experiment", "cells", "missing", "outcomes", "disagreements", "begun", "last stored")
    return columns(header, rows, right={1, 2, 3, 4})


def _drivers(found: list[ExperimentStatus]) -> list[str]:
    return [
        f"{each.experiment_id}: last run by {each.driver}"
        for each in found
        if each.driver and not each.finished
    ]


def _missing(found: list[ExperimentStatus]) -> list[str]:
    lines = []
    for each in found:
        reasons = list(each.missing.items())
        lines += [f"missing {cell}: {reason}" for cell, reason in reasons[:SHOWN]]
        if len(reasons) > SHOWN:
            lines.append(f"and {len(reasons) - SHOWN} more of {each.experiment_id}")
    return lines
