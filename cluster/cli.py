"""The `killgrid` command: its commands, its exit codes, the one place where errors are shown."""

from __future__ import annotations

from typing import Any

import click

from cluster.commands.compact import compact
from cluster.commands.failures import report
from cluster.commands.options import debug_option
from cluster.commands.plan import plan
from cluster.commands.query import query
from cluster.commands.run import run
from cluster.commands.schema import schema
from cluster.commands.score import score
from cluster.commands.sql import sql
from cluster.commands.status import status
from cluster.commands.views import views


class CommandLine(click.Group):
    """A group that turns every exception into lines on stderr and a documented exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except (Exception, KeyboardInterrupt) as error:
            ctx.exit(report(error, ctx.find_root().meta.get("killgrid.debug", False)))


@click.group(name="killgrid", cls=CommandLine)
@click.version_option(package_name="killgrid", message="killgrid %(version)s")
def main() -> None:
    """Which tests kill which bugs: full kill matrices of test suites.

    \b
    A first run:
      killgrid plan configs/experiments/quickstart.yaml
      killgrid run configs/experiments/quickstart.yaml
      killgrid query mutation_score --store results/quickstart
    A project's own tests, with no config file:
      killgrid score path/to/project --target src/package/module.py

    \b
    Exit codes:
      0    success
      1    the run's self-check failed, or cells are missing
      2    a mistake in the command or in the config
      3    something named cannot be had: subject, suite, package, store
      4    no working sandbox
      5    trouble on our side
      130  interrupted
    """


main.params.append(debug_option())
for command in (plan, run, status, score, query, sql, views, compact, schema):
    main.add_command(command)
