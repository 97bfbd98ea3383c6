"""What a tool that writes suites is: its command line, its environment, how its output is read."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from dataclasses import dataclass

from tasks.records import Environment, Limits, Subject
from tasks.tool_sandbox import ToolRun

_STAMP = re.compile(r"^\[?\d[\d:.T-]*\]?\s*")  # of a log line: equal runs give equal reasons
_PACKAGE = re.compile(r"^[A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Output:
    """The text of a suite, or None and why there is none."""

    source: str | None
    reason: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tool:
    """One run of a tool; `wall_s` is a limit that only a tool which hangs should meet."""

    argv: tuple[str, ...]
    environment: Environment
    limits: Limits
    wall_s: float
    read: Callable[[ToolRun], Output]
    outputs: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()


def requirements_beside(subject: Subject, *tool: str, without: tuple[str, ...]) -> tuple[str, ...]:
    """The tool's requirements with the subject's, less those packages that the tool decides on."""
    kept = [
        line
        for line in subject.environment.requirements
        if (name := _PACKAGE.match(line)) is None or name[0].lower() not in without
    ]
    return (*tool, *kept)


def failure(run: ToolRun) -> str:
    """One line on a tool that ended badly, '' for one that did not."""
    if run.status == 0:
        return ""
    if run.status < 0:
        return f"ended by {signal.Signals(-run.status).name}"
    return f"exit status {run.status}: {_STAMP.sub('', run.last_words)}".rstrip(": ")
