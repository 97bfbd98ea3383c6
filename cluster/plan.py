"""What a run is made of, before anything of it is run: subjects, their mutants, and the cells."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from cluster.environments import environments_of
from configs.arms import expand_arms
from configs.errors import ConfigError, NotFoundError
from configs.loading import config_sha256
from configs.models import ModelWriterConfig
from configs.schema import ArmConfig, ExperimentConfig, WriterConfig
from tasks.generators import is_seeded
from tasks.model_records import Message, prompt_sha256
from tasks.mutants import MutantSet, make_mutants
from tasks.prompts import prompt_context, render, template_sha256
from tasks.records import ExecutionSettings, Mutant, Subject, Suite, sha256
from tasks.subjects import load_subjects
from tasks.writers import unused_lines, write_suites, writes_for


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
    """One subject x arm x replicate, with the suite its arm has for it, or None until it has.

    `prompt` is what a model is asked, empty where the writer is none.
    """

    cell_id: str
    subject_id: str
    arm: str
    replicate: int
    suite: Suite | None
    prompt: tuple[Message, ...] = ()

    @property
    def identity(self) -> str:
        """What defines the cell's suite: itself, or the question that it answers."""
        return self.suite.suite_id if self.suite else prompt_sha256(self.prompt)


@dataclass(frozen=True)
class Plan:
    """A whole experiment. `notes` say what the config names and no cell uses.

    `arms` are the config's, taken apart by model and prompt; `environments` are all settings that a
    suite is run under, of which the first says whether it is valid; `base` is what paths of the
    config are relative to.
    """

    experiment_id: str
    config: ExperimentConfig
    base: Path
    arms: Mapping[str, ArmConfig]
    environments: tuple[ExecutionSettings, ...]
    subjects: Mapping[str, PlannedSubject]
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()

    @property
    def settings(self) -> ExecutionSettings:
        """Those of the first environment."""
        return self.environments[0]

    @property
    def asking(self) -> dict[str, ModelWriterConfig]:
        """The arms that have a cell whose suite a model writes, with their writers."""
        names = dict.fromkeys(cell.arm for cell in self.cells if cell.prompt)
        writers = ((name, self.arms[name].writer) for name in names)
        return {name: each for name, each in writers if isinstance(each, ModelWriterConfig)}

    def seed_of(self, cell: Cell, *place: int) -> int:
        """A seed of 31 bits for a place in a cell, the same for every arm on the subject."""
        parts = (self.config.seed, cell.subject_id, cell.replicate, *place)
        return int(sha256("/".join(map(str, parts)).encode())[:8], 16) >> 1

    def rows(self, cell: Cell) -> int:
        """Mutants of a cell to be executed in all environments, if its suite proves valid."""
        return len(self.subjects[cell.subject_id].runnable) * len(self.environments)

    def hashes(self) -> dict[str, str]:
        """Content hashes of trees, mutant sets and suites, by what they belong to."""
        found = {}
        for subject_id, planned in self.subjects.items():
            found[f"subject:{subject_id}"] = planned.subject.tree_sha256
            found[f"mutants:{subject_id}"] = planned.mutant_set.mutant_set_sha256
        found["suites"] = _digest([[cell.cell_id, cell.identity] for cell in self.cells])
        return found


def make_plan(config: ExperimentConfig, base: Path, cache: Path) -> Plan:
    """Everything a run needs to know; no code of any subject or suite is run.

    `base` is what the config's paths are relative to, `cache` keeps downloads. ConfigError and
    NotFoundError say what is wrong; an arm that has no suite for a subject makes no cell of it.
    """
    arms = _plan_arms(config)
    subjects = _plan_subjects(config, base, cache)
    loaded = [planned.subject for planned in subjects.values()]
    cells = tuple(_plan_cells(config, arms, subjects.values(), base))
    if not cells:
        raise NotFoundError(f"experiment {config.experiment}: no arm has a suite for any subject")
    return Plan(
        experiment_id=experiment_id(config, subjects, cells, _repair_prompts(arms, base)),
        config=config,
        base=base,
        arms={arm.name: arm for arm in arms},
        environments=environments_of(config),
        subjects=subjects,
        cells=cells,
        notes=tuple(_notes(config, arms, loaded, cells, base)),
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


def _plan_arms(config: ExperimentConfig) -> tuple[ArmConfig, ...]:
    arms = expand_arms(config)
    counts = Counter(arm.name for arm in arms)
    twice = [f"arms: two are named {name!r}" for name, count in counts.items() if count > 1]
    if twice:
        raise ConfigError(twice)
    return arms


def _plan_cells(
    config: ExperimentConfig,
    arms: Iterable[ArmConfig],
    subjects: Iterable[PlannedSubject],
    base: Path,
) -> Iterator[Cell]:
    for planned in subjects:
        for arm in arms:
            yield from _cells_of(arm, planned, config.replicates, base, config)


def _cells_of(
    arm: ArmConfig, planned: PlannedSubject, replicates: int, base: Path, config: ExperimentConfig
) -> Iterator[Cell]:
    subject, writer = planned.subject, arm.writer
    written = isinstance(writer, WriterConfig) and writer.generator is None
    if not written and not writes_for(arm, subject):
        return
    prompt: tuple[Message, ...] = ()
    if isinstance(writer, ModelWriterConfig):
        cap = config.limits.test_functions
        context = prompt_context(subject, planned.mutant_set.mutants, cap)
        prompt = render(writer.prompt_name, base, context)
    elif writer.generator is not None and not is_seeded(writer.generator):
        replicates = 1  # a second draw would be the first one again
    for replicate in range(replicates):
        suite = write_suites(arm, subject, replicate, base) if written else None
        if suite is not None or not written:
            cell_id = f"{subject.subject_id}/{arm.name}/{replicate}"
            yield Cell(cell_id, subject.subject_id, arm.name, replicate, suite, prompt)


def _notes(
    config: ExperimentConfig,
    arms: Iterable[ArmConfig],
    subjects: list[Subject],
    cells: tuple[Cell, ...],
    base: Path,
) -> Iterator[str]:
    used = {cell.arm for cell in cells}
    for arm in arms:
        if arm.name not in used:
            yield f"arm {arm.name}: has a suite for none of the {len(subjects)} subjects"
        yield from unused_lines(arm, subjects, config.replicates, base)


def _repair_prompts(arms: Iterable[ArmConfig], base: Path) -> list[str]:
    """Hashes of templates that are filled only once a suite has failed."""
    writers = [arm.writer for arm in arms if isinstance(arm.writer, ModelWriterConfig)]
    names = dict.fromkeys(writer.repair_prompt for writer in writers if writer.repair)
    return [template_sha256(name, base) for name in names]


def experiment_id(
    config: ExperimentConfig,
    subjects: Mapping[str, PlannedSubject],
    cells: Iterable[Cell],
    repair_prompts: Sequence[str] = (),
) -> str:
    """The experiment's name and a hash of what defines its numbers.

    That is the config without the place of its results, and the content of what it names; so the
    same command goes on with an experiment, and any change makes another one.
    """
    parts = [
        metadata.version("killgrid"),
        config_sha256(config),
        [[name, each.mutant_set.mutant_set_sha256] for name, each in subjects.items()],
        [[cell.cell_id, cell.identity] for cell in cells],
        *repair_prompts,
    ]
    return f"{config.experiment}-{_digest(parts)[:8]}"


def _digest(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode())
