"""What the engine's tests share: a subject from text, mutants by replacement, one measured job."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from tasks.job import run_job
from tasks.records import Environment, ExecutionSettings, Limits, Mutant, SourceFile, Subject, Suite
from tasks.results import Job, JobResult, Validation

QUICK = Limits(memory_mb=256, cpu_floor_s=0.5, wall_floor_s=2.0, confirm_factor=1.5, collect_s=3.0)


def cache() -> Path:
    """Environments are built once per machine, since building one takes seconds."""
    base = os.environ.get("KILLGRID_CACHE") or Path.home() / ".cache" / "killgrid"
    return Path(base)


def subject(source: str | bytes, **changes: object) -> Subject:
    """A function subject with this source as solution.py."""
    data = source if isinstance(source, bytes) else source.encode()
    made = Subject(
        "demo-00000000", "demo", "function", (SourceFile("solution.py", data),), ("solution.py",)
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def suite(source: str | bytes, **more: str) -> Suite:
    """A suite of one file, and further files by name."""
    data = source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass")
    files = [SourceFile("test_solution.py", data)]
    files += [SourceFile(f"{name}.py", text.encode()) for name, text in more.items()]
    return Suite("s-demo", "demo-00000000", "arm", 0, tuple(files), ("test_solution.py",))


def mutant(of: Subject, name: str, source: str | bytes, path: str = "solution.py") -> Mutant:
    """A mutant with this whole source."""
    data = source if isinstance(source, bytes) else source.encode()
    return Mutant(f"m-{name}", of.subject_id, "edits", "1", name, "edit", "", path, 1, 1, "", data)


@dataclass(frozen=True)
class Measured:
    """A job's result, by mutant name and test name."""

    result: JobResult

    @property
    def validation(self) -> Validation:
        assert self.result.validation is not None
        return self.result.validation

    def matrix(self) -> dict[str, dict[str, str]]:
        """Outcome by mutant name and node id without the file's name."""
        names = {t.ordinal: t.nodeid.partition("::")[2] for t in self.validation.tests}
        return {
            row.mutant_id.removeprefix("m-"): {names[e.ordinal]: e.outcome for e in row.executions}
            for row in self.result.rows
        }

    def strategies(self) -> dict[str, str]:
        """Strategy by mutant name."""
        return {row.mutant_id.removeprefix("m-"): row.strategy for row in self.result.rows}

    def dropped(self) -> dict[str, str]:
        """Reason by node id for every test that may not kill."""
        tests = self.validation.tests
        return {t.nodeid.partition("::")[2]: t.dropped_reason for t in tests if not t.kept}

    def events(self) -> list[str]:
        """Kinds of the events."""
        return [event.kind for event in self.result.events]


def measure(
    of: Subject, by: Suite, mutants: dict[str, str | bytes] | None = None, **settings: object
) -> Measured:
    """Validate and execute in one job, with limits that suit tests."""
    limits = settings.pop("limits", QUICK)
    chosen = ExecutionSettings(recheck_share=0.0, limits=limits, **settings)  # type: ignore[arg-type]
    made = tuple(mutant(of, name, text) for name, text in (mutants or {}).items())
    return Measured(run_job(Job(of, by, made, chosen), cache()))


__all__ = ["QUICK", "Environment", "Measured", "cache", "measure", "mutant", "subject", "suite"]
