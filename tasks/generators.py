"""Suites by tools that need no model: Pynguin and Hypothesis' ghostwriter, each in the sandbox."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from configs.models import GeneratorConfig, PynguinConfig
from tasks import ghostwriter, pynguin
from tasks.environments import ensure_environment
from tasks.records import Subject
from tasks.tool_sandbox import run_tool
from tasks.tools import Output, Tool
from tasks.trees import ensure_tree


@dataclass(frozen=True)
class Generated:
    """A tool's suite as it wrote it, or None and the one line why there is none.

    `flags` say what was done to the text; `seconds` is the tool's own wall time.
    """

    source: str | None
    reason: str
    flags: tuple[str, ...]
    seconds: float


def is_seeded(writer: GeneratorConfig) -> bool:
    """Whether replicates differ: a tool without a seed has the first one only."""
    return isinstance(writer, PynguinConfig)


def generate(
    writer: GeneratorConfig,
    subject: Subject,
    seed: int,
    cache: Path,
    *,
    wall_s: float | None = None,
) -> Generated:
    """Let the tool write for the subject; equal arguments give equal text.

    `wall_s` replaces the tool's wall limit. A tool that fails, or takes longer, is its own result.
    InfraError and SandboxError are trouble on our side; NotFoundError says that the tool cannot be
    installed beside what the subject needs.
    """
    tool = _tool(writer, subject, seed)
    if isinstance(tool, str):
        return Generated(None, tool, (), 0.0)
    run = run_tool(
        tool.argv,
        ensure_tree(subject, cache),
        ensure_environment(tool.environment, cache),
        tool.limits,
        tool.wall_s if wall_s is None else wall_s,
        outputs=tool.outputs,
        variables=tool.variables,
    )
    output = Output(None, "timed out") if run.timed_out else tool.read(run)
    return Generated(output.source, output.reason, output.flags, run.seconds)


def _tool(writer: GeneratorConfig, subject: Subject, seed: int) -> Tool | str:
    if isinstance(writer, PynguinConfig):
        return pynguin.tool(writer, subject, seed)
    return ghostwriter.tool(writer, subject)
