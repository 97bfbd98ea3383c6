"""Project subjects: a tree from a path, a package's source archive or a git revision."""

from __future__ import annotations

import configparser
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from configs.errors import NotFoundError
from tasks.archives import fetch_archive, read_archive
from tasks.folders import read_folder
from tasks.globs import is_glob, matches, near
from tasks.packages import find_release
from tasks.records import SourceFile, Subject, sha256
from tasks.revisions import read_revision

if TYPE_CHECKING:
    from configs.schema import SubjectConfig

Files = tuple[SourceFile, ...]


@dataclass(frozen=True)
class _Source:
    """A project as it came: its files, and what its environment needs because of it."""

    name: str
    files: Files
    requirements: tuple[str, ...]


def load_project(config: SubjectConfig, base: Path, cache: Path) -> tuple[Subject, tuple[str, ...]]:
    """The subject, without identity or environment yet, and the project's own requirements.

    NotFoundError when the project, a target or a test path does not exist: one line for each.
    """
    source = _source(config, base, cache)
    name = config.name or source.name
    paths = [file.path for file in source.files]
    faults: list[str] = []
    targets = _targets(config.targets, paths, name, faults)
    tests = _tests(config.tests, paths, name, faults)
    if faults:
        raise NotFoundError("\n".join(faults))
    files = source.files
    if config.existing_tests == "strip":
        files = _stripped(files, tests, targets, name)
        tests = ()
    digests = [sha256(file.data) for file in files if file.path in targets]
    subject = Subject(
        subject_id="",
        name=name,
        kind="project",
        files=files,
        targets=targets,
        import_roots=(_import_root(targets),),
        existing_tests=tests,
        source_sha256=digests[0] if len(digests) == 1 else sha256("\n".join(digests).encode()),
    )
    return subject, source.requirements


def _source(config: SubjectConfig, base: Path, cache: Path) -> _Source:
    project = config.project
    pypi, git = getattr(project, "pypi", None), getattr(project, "git", None)
    if pypi is not None:
        return _released(pypi, config.python, cache)
    if git is not None:
        files = read_revision(git, getattr(project, "rev", ""), base, cache)
        name = git.rstrip("/").split("/")[-1].removesuffix(".git") or "project"
        return _Source(name, files, _declared(files, name))
    folder = (base / Path(str(project)).expanduser()).resolve()
    files = read_folder(folder)
    return _Source(folder.name or "project", files, _declared(files, str(project)))


def _released(pypi: str, python: str, cache: Path) -> _Source:
    release = find_release(pypi, python, cache)
    files = read_archive(fetch_archive(release, cache), f"project {pypi}")
    pin = f"{release.name}=={release.version}"
    # The installed release brings what it needs and its metadata; the tree hides its modules.
    return _Source(release.name, files, (pin,) if release.has_wheel else _declared(files, pypi))


def _declared(files: Files, what: str) -> tuple[str, ...]:
    """Requirements that stand in pyproject.toml or setup.cfg: read, never computed by a build."""
    texts = {file.path: file.data for file in files}
    try:
        project = tomllib.loads(texts.get("pyproject.toml", b"").decode()).get("project", {})
        if "dependencies" in project:
            return tuple(map(str, project["dependencies"]))
        parser = configparser.ConfigParser(interpolation=None)
        parser.read_string(texts.get("setup.cfg", b"").decode())
    except (tomllib.TOMLDecodeError, configparser.Error, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise NotFoundError(f"project {what}: its settings cannot be read: {reason}") from error
    lines = parser.get("options", "install_requires", fallback="").splitlines()
    return tuple(line.strip() for line in lines if line.strip() and line.strip()[0] != "#")


def _targets(
    wanted: Iterable[str], paths: list[str], name: str, faults: list[str]
) -> tuple[str, ...]:
    found: dict[str, None] = {}
    python = [path for path in paths if path.endswith(".py")]
    for target in wanted:
        hits = [p for p in python if matches(p, target)] if is_glob(target) else []
        hits = hits or [path for path in python if path == target]
        if not hits:
            faults.append(
                f"subject {name}: target {target!r} is not in its tree{near(target, python)}"
            )
        found.update(dict.fromkeys(hits))
    return tuple(found)


def _tests(
    wanted: Iterable[str], paths: list[str], name: str, faults: list[str]
) -> tuple[str, ...]:
    """Pytest's arguments for the project's own tests; `wanted` may name single tests by `::`."""
    if not wanted:
        return _usual_tests(paths)
    found: dict[str, None] = {}
    folders = {path.rsplit("/", n)[0] for path in paths for n in range(1, path.count("/") + 1)}
    for each in wanted:
        place = each.split("::")[0].rstrip("/")
        if is_glob(place):
            hits = [path for path in paths if matches(path, place)]
        else:
            hits = [each.rstrip("/")] if place in folders or place in paths else []
        if not hits:
            there = near(place, [*folders, *paths])
            faults.append(f"subject {name}: tests {each!r} are not in its tree{there}")
        found.update(dict.fromkeys(hits))
    return tuple(found)


def _usual_tests(paths: list[str]) -> tuple[str, ...]:
    for folder in ("tests", "test"):
        if any(path.startswith(f"{folder}/") for path in paths):
            return (folder,)
    return tuple(path for path in paths if matches(path, "test_*.py"))


def _stripped(files: Files, tests: Iterable[str], targets: Iterable[str], name: str) -> Files:
    places = [test.split("::")[0] for test in tests]
    kept = tuple(
        file
        for file in files
        if not any(file.path == place or file.path.startswith(f"{place}/") for place in places)
    )
    lost = sorted(set(targets) - {file.path for file in kept})
    if lost:
        raise NotFoundError(f"subject {name}: target {lost[0]!r} is among the stripped tests")
    return kept


def _import_root(targets: Iterable[str]) -> str:
    return "src" if any(target.startswith("src/") for target in targets) else ""
