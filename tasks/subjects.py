"""Subjects of a config entry: loaded, given their environment, and named by their content."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from configs.errors import NotFoundError
from tasks.functions import load_functions
from tasks.globs import matches, near
from tasks.packages import DEFAULT_REQUIREMENTS, resolve
from tasks.problems import load_problem_set
from tasks.projects import load_project
from tasks.records import Environment, Subject, sha256

if TYPE_CHECKING:
    from configs.schema import SubjectConfig


def load_subjects(config: SubjectConfig, base: Path, cache: Path) -> list[Subject]:
    """The subjects of one entry; `base` is what relative paths are relative to.

    Downloads, pins and clones stay in `cache`; nothing of a subject is run. NotFoundError and
    ConfigError name what is missing or wrong, InfraError what could not be reached.
    """
    own: tuple[str, ...] = ()
    if config.problems is not None:
        subjects = [each.subject for each in load_problem_set(config.problems)]
        subjects = _only(subjects, config.only, f"problem set {config.problems}")
    elif config.functions is not None:
        subjects = load_functions(base / config.functions)
        subjects = _only(subjects, config.only, config.functions)
    else:
        subject, own = load_project(config, base, cache)
        subjects = [subject]
    lines = tuple(dict.fromkeys([*DEFAULT_REQUIREMENTS, *own, *config.environment]))
    # Pinned here, once: every node builds the same environment, and the identity holds the pins.
    environment = Environment(config.python, resolve(lines, config.python, cache))
    return [identified(_configured(each, config, environment)) for each in subjects]


def _only(subjects: list[Subject], wanted: Sequence[str], what: str) -> list[Subject]:
    """Those named, by name or glob; every entry must name one."""
    names = [subject.name for subject in subjects]
    for pattern in wanted:
        if not any(matches(name, pattern) for name in names):
            raise NotFoundError(f"{what}: nothing is named {pattern!r}{near(pattern, names)}")
    return [s for s in subjects if not wanted or any(matches(s.name, each) for each in wanted)]


def _configured(subject: Subject, config: SubjectConfig, environment: Environment) -> Subject:
    roots = tuple(root.strip("/") for root in config.import_roots)
    return replace(
        subject,
        environment=environment,
        import_roots=roots or subject.import_roots,
        plugins=tuple(dict.fromkeys([*subject.plugins, *config.plugins])),
        pytest_args=tuple(config.pytest_args),
    )


def identified(subject: Subject) -> Subject:
    """The subject under its id: its name and a hash over all that can change an outcome."""
    parts = [
        subject.tree_sha256,
        subject.targets,
        subject.environment.environment_id,
        subject.import_roots,
        subject.plugins,
        subject.pytest_args,
        subject.existing_tests,
    ]
    digest = sha256(json.dumps(parts).encode())[:8]
    return replace(subject, subject_id=f"{slug(subject.name)}-{digest}")


def slug(name: str) -> str:
    """A subject's name as part of an id or a file name: letters, digits, `.`, `_` and `-` only."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name)[:80].lstrip("._-") or "subject"
