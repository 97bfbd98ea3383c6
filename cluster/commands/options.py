"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_STORE = "./results"


def _set_debug(context: click.Context, _option: click.Parameter, value: bool) -> None:
    if value:
        context.find_root().meta["killgrid.debug"] = True


def debug_option() -> click.Option:
    """`--debug`, which every command takes at any position."""
    return click.Option(
        ["--debug"],
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_set_debug,
        help="Show the trace of an error.",
    )


class Command(click.Command):
    """A command that also takes `--debug`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.append(debug_option())


def config_argument(function: F) -> F:
    """FILE, the config."""
    return click.argument("file", type=click.Path(path_type=Path, dir_okay=False))(function)


def set_option(function: F) -> F:
    """`--set a.b=c`, any number of times."""
    return click.option(
        "--set",
        "overrides",
        multiple=True,
        metavar="KEY=VALUE",
        help="Override a key of the config: execution.memory_mb=2048, arms.0.name=x. The value "
        "is YAML. May be given several times.",
    )(function)


def address_option(function: F) -> F:
    """`--address` of a Ray cluster."""
    return click.option("--address", help="Address of a Ray cluster; default: a local Ray.")(
        function
    )


def cpus_option(function: F) -> F:
    """`--cpus` of a local Ray."""
    return click.option(
        "--cpus", type=click.IntRange(min=1), help="CPUs of the local Ray; default: all."
    )(function)


def quiet_option(function: F) -> F:
    """`--quiet`."""
    return click.option("--quiet", is_flag=True, help="Show no progress.")(function)


def store_option(function: F) -> F:
    """`--store`, where results are read from."""
    return click.option(
        "--store",
        envvar="KILLGRID_STORE",
        default=DEFAULT_STORE,
        show_default=True,
        show_envvar=True,
        metavar="URI",
        help="Where the results are.",
    )(function)


def experiment_option(function: F) -> F:
    """`--experiment`, by id or by the beginning of one."""
    return click.option(
        "--experiment",
        metavar="ID",
        help="Id of an experiment, or the beginning of one; default: the newest.",
    )(function)


def format_option(function: F) -> F:
    """`--format` of a table."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(["table", "csv", "json", "parquet"]),
        default="table",
        show_default=True,
        help="How to print the table.",
    )(function)


def output_option(function: F) -> F:
    """`--output FILE` in place of standard output."""
    return click.option(
        "--output",
        type=click.Path(path_type=Path, dir_okay=False),
        help="File to write to; default: standard output.",
    )(function)
