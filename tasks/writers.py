"""Suites that exist already: a subject's own tests, files, or those of a problem set.

A writer whose suites do not differ from draw to draw has one replicate only, the first: measuring
one suite several times would pass for independent draws.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from configs.errors import ConfigError, NotFoundError
from configs.schema import WriterConfig
from tasks.folders import read_folder
from tasks.globs import is_glob, matches, near
from tasks.jsonl import encode_source
from tasks.problems import Problem, load_problem_set, problem_sets
from tasks.records import SourceFile, Subject, Suite, sha256
from tasks.subjects import slug
from tasks.suite_lines import SuiteLine, suite_lines

if TYPE_CHECKING:
    from configs.schema import ArmConfig

Files = tuple[SourceFile, ...]


def write_suites(arm: ArmConfig, subject: Subject, replicate: int, base: Path) -> Suite | None:
    """The arm's suite for a subject, or None where it has none: then there is no such cell.

    `base` is what the writer's paths are relative to; replicates count from 0. NotFoundError when
    the writer's file or folder does not exist, ConfigError with all wrong lines of a JSONL file.
    """
    if not writes_for(arm, subject) or not isinstance(arm.writer, WriterConfig):
        return None
    files, kind = arm.writer.files, arm.writer.problem_suite
    if isinstance(files, str) and files.endswith((".jsonl", ".jsonl.txt", ".ndjson")):
        return _from_lines(arm.name, subject, replicate, base / files)
    if replicate > 0:
        return None
    if kind is not None:
        return _from_problem(arm.name, subject, kind)
    if files == "existing":
        return _in_tree(arm.name, subject, subject.existing_tests, "existing")
    if isinstance(files, str):
        return _from_folder(arm.name, subject, base / files)
    return _from_globs(arm.name, subject, files or [])


def writes_for(arm: ArmConfig, subject: Subject) -> bool:
    """Whether the arm is meant to have a suite for the subject."""
    names = (subject.name, subject.subject_id)
    return not arm.subjects or any(matches(n, each) for each in arm.subjects for n in names)


def make_suite(
    arm: str,
    subject: Subject,
    replicate: int,
    files: Files,
    paths: Iterable[str],
    *,
    round: int = 0,
    draw: int = 0,
    origin: str = "files",
    model: str = "",
    condition: str = "",
    prompt_sha256: str = "",
    flags: tuple[str, ...] = (),
) -> Suite:
    """A suite under its id: a hash over subject, arm, replicate, round and all it consists of."""
    paths = tuple(paths)
    clash = sorted({file.path for file in files} & set(subject.targets))
    if clash:
        raise ConfigError(f"arm {arm}: a file of its suite would replace the target {clash[0]!r}")
    parts = [subject.subject_id, arm, str(replicate), str(round), str(draw), *paths]
    parts += [f"{file.path}\0{sha256(file.data)}" for file in files]
    digest = sha256("\n".join(parts).encode("utf-8", "surrogateescape"))[:12]
    return Suite(
        suite_id=f"s-{digest}",
        subject_id=subject.subject_id,
        arm=arm,
        replicate=replicate,
        files=files,
        paths=paths,
        round=round,
        draw=draw,
        origin=origin,
        model=model,
        condition=condition,
        prompt_sha256=prompt_sha256,
        flags=flags,
    )


def suite_file(subject: Subject) -> str:
    """Path of a one-file suite, at the top of the tree, where no file of the tree is."""
    stem = "test_" + re.sub(r"\W+", "_", slug(subject.name), flags=re.ASCII)
    taken = {file.path for file in subject.files}
    while f"{stem}.py" in taken:
        stem += "_suite"
    return f"{stem}.py"


def _single(arm: str, subject: Subject, data: bytes, origin: str) -> Suite:
    path = suite_file(subject)
    return make_suite(arm, subject, 0, (SourceFile(path, data),), (path,), origin=origin)


def _in_tree(arm: str, subject: Subject, paths: tuple[str, ...], origin: str) -> Suite | None:
    return make_suite(arm, subject, 0, (), paths, origin=origin) if paths else None


def _from_globs(arm: str, subject: Subject, patterns: list[str]) -> Suite | None:
    """Tests in the subject's tree: files by path or glob, folders, single tests by `::`."""
    there = [file.path for file in subject.files]
    found: dict[str, None] = {}
    for pattern in patterns:
        place = pattern.split("::")[0].rstrip("/")
        if is_glob(place):
            found.update((path, None) for path in there if matches(path, place))
        elif any(path == place or path.startswith(f"{place}/") for path in there):
            found[pattern.rstrip("/")] = None
    return _in_tree(arm, subject, tuple(found), "globs")


def _from_folder(arm: str, subject: Subject, folder: Path) -> Suite | None:
    """`<folder>/<name>/` with any files, or `<folder>/<name>.py`, or `<folder>/test_<name>.py`."""
    if not folder.is_dir():
        raise NotFoundError(f"arm {arm}: {folder} is neither a folder nor a .jsonl file")
    for name in dict.fromkeys([slug(subject.name), slug(subject.name).replace("-", "_")]):
        if (folder / name).is_dir():
            return _from_subfolder(arm, subject, folder / name)
        for file in (folder / f"{name}.py", folder / f"test_{name}.py"):
            if file.is_file():
                return _single(arm, subject, file.read_bytes(), "folder")
    return None


def _from_subfolder(arm: str, subject: Subject, folder: Path) -> Suite:
    """Its files laid over the tree: test files by pytest's naming, or else every Python file."""
    files = read_folder(folder)
    python = [file.path for file in files if file.path.endswith(".py")]
    paths = [path for path in python if re.search(r"(^|/)test_[^/]*\.py$|_test\.py$", path)]
    if not python:
        raise NotFoundError(f"arm {arm}: {folder} holds no Python file")
    return make_suite(arm, subject, 0, files, paths or python, origin="folder")


def _from_lines(arm: str, subject: Subject, replicate: int, path: Path) -> Suite | None:
    lines = suite_lines(path)
    line: SuiteLine | None = None
    for name in (subject.name, subject.subject_id):
        line = line or lines.get((name, replicate))
    if line is None:
        return None
    place = suite_file(subject)
    return make_suite(
        arm,
        subject,
        replicate,
        (SourceFile(place, encode_source(line.source)),),
        (place,),
        origin="jsonl",
        model=line.model,
        condition=line.condition,
    )


def _from_problem(arm: str, subject: Subject, kind: str) -> Suite | None:
    problem = _problems().get((subject.name, subject.source_sha256))
    return _single(arm, subject, problem.suite(kind), "problem") if problem else None


@lru_cache(maxsize=1)
def _problems() -> dict[tuple[str, str], Problem]:
    """Problems of all sets by name and source, which say that a subject is this very problem."""
    found = [problem for name in problem_sets() for problem in load_problem_set(name)]
    return {(each.subject.name, each.subject.source_sha256): each for each in found}


def unused_lines(
    arm: ArmConfig, subjects: Iterable[Subject], replicates: int, base: Path
) -> list[str]:
    """What a JSONL file holds that no cell asks for, one line each; a plan should show it."""
    files = arm.writer.files if isinstance(arm.writer, WriterConfig) else None
    if not isinstance(files, str) or not (base / files).is_file():
        return []
    names = {name for each in subjects for name in (each.name, each.subject_id)}
    lines = suite_lines(base / files)
    strangers = sorted({name for name, _ in lines if name not in names})
    notes = [f"arm {arm.name}: {files}: no subject {n!r}{near(n, names)}" for n in strangers]
    beyond = sum(1 for name, number in lines if name in names and number >= replicates)
    if beyond:
        notes.append(f"arm {arm.name}: {files}: {beyond} suites of replicates from {replicates} on")
    return notes
