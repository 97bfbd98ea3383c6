"""Owns what is measured: a config's subjects with their own tests and a choice of mutants."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from cluster.plan import make_plan
from configs.errors import NotFoundError
from configs.loading import load_config
from configs.schema import ExperimentConfig
from tasks.mutmut_engine import answers_folder
from tasks.records import Environment, Mutant, Subject, Suite

REAL_PACKAGES = Path("configs/experiments/real_packages.yaml")


@dataclass(frozen=True)
class Case:
    """One subject, one suite, and the mutants that both sides of a comparison run."""

    subject: Subject
    suite: Suite
    mutants: tuple[Mutant, ...]

    @property
    def name(self) -> str:
        return self.subject.name


def read_config(path: Path, names: Collection[str] = ()) -> ExperimentConfig:
    """A config with the named subjects only, all of them without names."""
    config = load_config(path)
    known = [subject.name for subject in config.subjects]
    unknown = sorted(set(names) - {name for name in known if name})
    if unknown:
        raise NotFoundError(f"{path} has no subject {', '.join(unknown)}; it has {known}")
    chosen = [s for s in config.subjects if not names or s.name in names]
    return config.model_copy(update={"subjects": chosen})


def load_cases(
    path: Path, cache: Path, names: Collection[str] = (), limit: int | None = None
) -> list[Case]:
    """Cases of a config in its order, at most `limit` mutants each, evenly spread over the file."""
    plan = make_plan(read_config(path, names), path.parent, cache)
    return [
        Case(
            plan.subjects[cell.subject_id].subject,
            cell.suite,
            spread(plan.subjects[cell.subject_id].runnable, limit),
        )
        for cell in plan.cells
    ]


def forget_mutants(cache: Path) -> None:
    """Have mutmut asked anew, as for a text that nobody has mutated yet."""
    shutil.rmtree(answers_folder(Path(sys.executable), cache), ignore_errors=True)


def spread(mutants: tuple[Mutant, ...], limit: int | None) -> tuple[Mutant, ...]:
    """At most so many of them, at even distances."""
    if limit is None or limit >= len(mutants):
        return mutants
    return tuple(mutants[n * len(mutants) // limit] for n in range(limit))


def write_tree(case: Case, folder: Path) -> None:
    """The subject's files with the suite's over them."""
    for file in (*case.subject.files, *case.suite.files):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
        path.chmod(0o755 if file.executable else 0o644)


def with_mutmut(environment: Environment, version: str) -> Environment:
    """A subject's environment with mutmut beside what its tests need."""
    requirements = (*environment.requirements, f"mutmut=={version}")
    return Environment(environment.python, requirements)
