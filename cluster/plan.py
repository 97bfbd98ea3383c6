"""What a run is made of, before anything of it is run: subjects, their mutants, and the cells."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from importlib import metadata
from pathlib import Path
from typing import Any

from configs.errors import ConfigError, NotFoundError
from configs.loading import config_sha256
from configs.schema import ExecutionConfig, ExperimentConfig
from tasks.mutants import MutantSet, make_mutants
from tasks.records import ExecutionSettings, Limits, Mutant, Subject, Suite, sha256
from tasks.subjects import load_subjects
from tasks.writers import unused_lines, write_suites


@dataclass(frozen=True)
class PlannedSubject:
    """A subject and its frozen mutant set."""

    subject: Subject
    mutant_set: MutantSet

    @property
    def runnable(self) -> tuple[Mutant, ...]:
        """The mutants that are executed; the others are kept as rows only."""
        return tuple(mutant for mutant in self.mutant_set.mutants if mutant.status == "ok")


@dataclass(frozen=True)
class Cell:
    """One subject x arm x replicate, with the suite its arm has for it."""

    cell_id: str
    subject_id: str
    arm: str
    replicate: int
    suite: Suite


@dataclass(frozen=True)
class Plan:
    """A whole experiment. `notes` say what the config names and no cell uses."""

    experiment_id: str
    config: ExperimentConfig
    settings: ExecutionSettings
    subjects: Mapping[str, PlannedSubject]
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()

    def rows(self, cell: Cell) -> int:
        """Mutants of a cell to be executed, if its suite turns out to be valid."""
        return len(self.subjects[cell.subject_id].runnable)

    def hashes(self) -> dict[str, str]:
        """Content hashes of trees, mutant sets and suites, by what they belong to."""
        found = {}
        for subject_id, planned in self.subjects.items():
            found[f"subject:{subject_id}"] = planned.subject.tree_sha256
            found[f"mutants:{subject_id}"] = planned.mutant_set.mutant_set_sha256
        found["suites"] = _digest([[cell.cell_id, cell.suite.suite_id] for cell in self.cells])
        return found


def make_plan(config: ExperimentConfig, base: Path, cache: Path) -> Plan:
    """Everything a run needs to know; no code of any subject or suite is run.

    `base` is what the config's paths are relative to, `cache` keeps downloads. ConfigError and
    NotFoundError say what is wrong; an arm that has no suite for a subject makes no cell of it.
    """
    subjects = _plan_subjects(config, base, cache)
    loaded = [planned.subject for planned in subjects.values()]
    cells = tuple(_plan_cells(config, loaded, base))
    if not cells:
        raise NotFoundError(f"experiment {config.experiment}: no arm has a suite for any subject")
    return Plan(
        experiment_id=experiment_id(config, subjects, cells),
        config=config,
        settings=execution_settings(config),
        subjects=subjects,
        cells=cells,
        notes=tuple(_notes(config, loaded, cells, base)),
    )


def _plan_subjects(config: ExperimentConfig, base: Path, cache: Path) -> dict[str, PlannedSubject]:
    found: dict[str, PlannedSubject] = {}
    faults: list[str] = []
    for entry in config.subjects:
        engines = config.mutants if entry.mutants is None else entry.mutants
        for subject in load_subjects(entry, base, cache):
            if subject.subject_id in found:
                faults.append(f"subjects: {subject.name} is named twice, with the same content")
                continue
            mutants = make_mutants(subject, engines, base, cache, seed=config.seed)
            found[subject.subject_id] = PlannedSubject(subject, mutants)
    if faults:
        raise ConfigError(faults)
    return found


def _plan_cells(
    config: ExperimentConfig, subjects: Iterable[Subject], base: Path
) -> Iterator[Cell]:
    for subject in subjects:
        for arm in config.arms:
            for replicate in range(config.replicates):
                suite = write_suites(arm, subject, replicate, base)
                if suite is not None:
                    cell_id = f"{subject.subject_id}/{arm.name}/{replicate}"
                    yield Cell(cell_id, subject.subject_id, arm.name, replicate, suite)


def _notes(
    config: ExperimentConfig, subjects: list[Subject], cells: tuple[Cell, ...], base: Path
) -> Iterator[str]:
    used = {cell.arm for cell in cells}
    for arm in config.arms:
        if arm.name not in used:
            yield f"arm {arm.name}: has a suite for none of the {len(subjects)} subjects"
        yield from unused_lines(arm, subjects, config.replicates, base)


def execution_settings(config: ExperimentConfig) -> ExecutionSettings:
    """A config's `execution` and `limits` as the record that tasks take."""
    given = config.execution.model_dump()
    limits = {field.name: given[field.name] for field in fields(Limits) if field.name in given}
    names = {field.name for field in fields(ExecutionSettings)} & set(ExecutionConfig.model_fields)
    settings: dict[str, Any] = {name: given[name] for name in names}
    settings["variables"] = tuple(sorted(config.execution.variables.items()))
    settings["limits"] = Limits(**limits, tests=config.limits.tests)
    return ExecutionSettings(**settings, seed=config.seed)


def experiment_id(
    config: ExperimentConfig, subjects: Mapping[str, PlannedSubject], cells: Iterable[Cell]
) -> str:
    """The experiment's name and a hash of what defines its numbers.

    That is the config without the place of its results, and the content of what it names; so the
    same command goes on with an experiment, and any change makes another one.
    """
    parts = [
        metadata.version("killgrid"),
        config_sha256(config),
        [[name, each.mutant_set.mutant_set_sha256] for name, each in subjects.items()],
        [[cell.cell_id, cell.suite.suite_id] for cell in cells],
    ]
    return f"{config.experiment}-{_digest(parts)[:8]}"


def _digest(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode())
