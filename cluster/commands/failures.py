"""How a command that fails ends: what is printed, once, and the exit status."""

from __future__ import annotations

import errno
import os
import sys
import traceback

import click

from configs.errors import ConfigError, Interrupted, KillgridError

BROKEN_PIPE = 141
OUR_FAULT = 5


def report(error: BaseException, debug: bool) -> int:
    """Say on stderr what happened and return the exit status; with `debug`, the whole trace."""
    if _is_broken_pipe(error):
        _close_stdout()
        return BROKEN_PIPE
    if debug:
        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    if isinstance(error, KeyboardInterrupt):
        click.echo("killgrid: interrupted", err=True)
        return Interrupted.exit_code
    prefix = "killgrid:" if isinstance(error, Interrupted) else "killgrid: error:"
    for line in _lines(error, debug):
        click.echo(f"{prefix} {line}", err=True)
    return error.exit_code if isinstance(error, KillgridError) else OUR_FAULT


def _lines(error: BaseException, debug: bool) -> list[str]:
    if isinstance(error, ConfigError):
        return error.problems
    if isinstance(error, KillgridError):
        return [str(error)]
    text = " ".join(f"{type(error).__name__}: {error}".split())
    hint = "" if debug else "; `killgrid --debug` shows where"
    return [f"unexpected {text}{hint}"]


def _is_broken_pipe(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno == errno.EPIPE


def _close_stdout() -> None:
    """Nobody reads any more: let the interpreter flush what is left into nothing."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        # Standard output is not a file of the system, so nothing is flushed into a pipe.
        return
