"""`killgrid compact`: few large objects in place of many small ones."""

from __future__ import annotations

import re

import click

from cluster.commands.choice import chosen_experiment
from cluster.commands.options import Command, experiment_option, store_option
from configs.errors import ConfigError

UNITS_S = {"m": 60, "h": 3600, "d": 86400}
# Questions that began before a compaction must have ended.
LEAST_AGE_S = 3600


@click.command(cls=Command, short_help="Merge many small objects of a store into few.")
@store_option
@experiment_option
@click.option(
    "--remove-old",
    metavar="AGE",
    help="Also remove what a compaction of at least this age stands for: 90m, 2h, 1d.",
)
def compact(store: str, experiment: str | None, remove_old: str | None) -> None:
    """Merge the units of an experiment: questions read fewer, larger objects, sorted by subject.

    Nothing is removed but by --remove-old; questions that run meanwhile are not disturbed. It may
    be run again at any time, also beside a run of the experiment.

    \b
    Examples:
      killgrid compact --store s3://bucket/prefix
      killgrid compact --store s3://bucket/prefix --experiment all --remove-old 1d
    """
    from storage import compaction
    from storage.manifest import list_experiments
    from storage.objects import open_store

    age = None if remove_old is None else _seconds(remove_old)
    chosen = chosen_experiment(store, experiment)
    place = open_store(store, must_exist=True)
    for name in list_experiments(place) if chosen is None else [chosen]:
        found = compaction.compact(place, name)
        if found is None:
            click.echo(f"{name}: nothing to compact")
        else:
            click.echo(
                f"{name}: {found.entries} index entries and {found.objects_before} objects "
                f"-> 1 and {found.objects_after}; {found.rows:,} rows moved"
            )
        if age is not None:
            removed = compaction.remove_superseded(place, name, age)
            click.echo(f"{name}: {removed} superseded objects removed")


def _seconds(age: str) -> float:
    found = re.fullmatch(r"(\d+)([mhd])", age)
    if found is None:
        raise ConfigError(f"--remove-old {age}: must look like 90m, 2h or 1d")
    seconds = int(found[1]) * UNITS_S[found[2]]
    if seconds < LEAST_AGE_S:
        raise ConfigError(f"--remove-old {age}: at least 1h, for questions that still run")
    return seconds
