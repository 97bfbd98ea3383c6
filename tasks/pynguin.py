"""Pynguin, a search-based generator: it runs the subject's code and asserts what it saw."""

from __future__ import annotations

from configs.models import PynguinConfig
from tasks.bwrap import ENVIRONMENT
from tasks.modules import module_of
from tasks.records import Environment, Limits, Subject
from tasks.tool_sandbox import ToolRun
from tasks.tools import Output, Tool, failure, requirements_beside

_LIMITS = Limits(memory_mb=2048)
_WALL_S = 1200.0
_OUT = "/tmp/out"


def tool(writer: PynguinConfig, subject: Subject, seed: int) -> Tool | str:
    """Its run for a subject, or why it cannot write for this one."""
    if len(subject.targets) != 1:
        return f"Pynguin writes for one module, this subject has {len(subject.targets)} targets"
    root, module = module_of(subject, subject.targets[0])
    options = {
        "--project-path": f"/work/{root}".rstrip("/"),
        "--module-name": module,
        "--output-path": _OUT,
        "--seed": str(seed),
        # Iterations alone end the search, and no clock decides anything else: not how long local
        # search goes on, nor, while a machine is busy, that a call hangs. Minimisation has to go:
        # it gives a test that it has emptied no time at all, and then believes what it saw.
        "--maximum-search-time": "-1",
        "--maximum-iterations": str(writer.iterations),
        "--local-search-time": str(10**9),
        "--test-execution-time-per-statement": "5",
        "--test-case-minimization-strategy": "NONE",
        "--statistics-backend": "NONE",
    }
    words = [word for option in options.items() for word in option]
    # Pynguin decides on pytest; its suite needs no Hypothesis.
    needs = (f"pynguin=={writer.version}",)
    lines = requirements_beside(subject, *needs, without=("pytest", "hypothesis"))
    output = f"{_OUT}/test_{module.replace('.', '_')}.py"
    return Tool(
        argv=(f"{ENVIRONMENT}/bin/pynguin", "--no-rich", *words),
        environment=Environment(subject.environment.python, lines),
        limits=_LIMITS,
        wall_s=_WALL_S,
        read=_read,
        outputs=(output,),
        # It asks for a word that one knows it to run code.
        variables=(("PYNGUIN_DANGER_AWARE", "1"),),
    )


def _read(run: ToolRun) -> Output:
    bad = failure(run)
    if bad or not run.files:
        return Output(None, bad or "no test was written")
    (data,) = run.files.values()
    try:
        return Output(data.decode())
    except UnicodeDecodeError:
        return Output(None, "what it wrote is not UTF-8")
