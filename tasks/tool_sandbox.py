"""Running somebody's command-line tool over a subject's tree, in a sandbox of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tasks.environments import BuiltEnvironment
from tasks.host import Host
from tasks.records import Limits

_STARTING_S = 300.0  # beyond the tool's own limit, for a machine that is busy


@dataclass(frozen=True)
class ToolRun:
    """How a tool ended and what it left.

    `status` is its exit status, minus the signal's number where one ended it. `files` holds the
    outputs that exist, by the path asked for. `seconds` is wall time.
    """

    status: int
    timed_out: bool
    stdout: bytes
    stderr: bytes
    files: Mapping[str, bytes]
    seconds: float

    @property
    def last_words(self) -> str:
        """Last line it printed, on stderr if anything is there."""
        for stream in (self.stderr, self.stdout):
            lines = stream.decode("utf-8", "replace").split("\n")
            for line in reversed(lines):
                if line.strip():
                    return line.strip()[:300]
        return ""


def run_tool(
    argv: Sequence[str],
    tree: Path,
    environment: BuiltEnvironment,
    limits: Limits,
    wall_s: float,
    *,
    outputs: Sequence[str] = (),
    variables: tuple[tuple[str, str], ...] = (),
) -> ToolRun:
    """Run `argv` in /work, a private copy of `tree`, seeing what a suite sees: no network, no home.

    `outputs` are paths from /work to bring back. After `wall_s` seconds all its processes are
    ended. SandboxError when this node has no working sandbox, InfraError when it was lost.
    """
    request = {
        "argv": list(argv),
        "tree_id": tree.name,
        "limits": asdict(limits),
        "wall_s": wall_s,
        "outputs": list(outputs),
    }
    host = Host(environment, tree.parents[1], variables, role="tool")
    try:
        (told,) = host.run(request, wall_s + _STARTING_S)
    finally:
        host.close()
    return ToolRun(
        told["status"],
        told["timed_out"],
        _bytes(told["stdout"]),
        _bytes(told["stderr"]),
        {path: _bytes(text) for path, text in told["files"].items()},
        told["seconds"],
    )


def _bytes(text: str | None) -> bytes:
    return (text or "").encode("latin-1")
