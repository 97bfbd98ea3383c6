"""A built-in problem set: function subjects with hand-written variants and suites.

Each problem is one folder of `configs/problems/<set>/`: `solution.py` (correct), `planted.py` and
`mutant_<n>.py` (whole versions with one bug each), `suites/<kind>.py` and `problem.yaml`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

import configs
from configs.errors import ConfigError, NotFoundError
from tasks.records import SourceFile, Subject, sha256

PROBLEMS = Path(configs.__file__).parent / "problems"
TARGET = "solution.py"
PLANTED = "planted"
SUITE_KINDS = ("reference", "weak", "locking")


@dataclass(frozen=True)
class Variant:
    """One whole hand-written wrong version of a solution; `name` is its file's stem."""

    name: str
    source: bytes
    planted: bool
    category: str
    description: str


@dataclass(frozen=True)
class Problem:
    """One function subject, its wrong versions (the planted one first) and its suites by kind.

    `function` is the name a suite imports; `issue` says in a few words what the function is for.
    """

    subject: Subject
    function: str
    issue: str
    variants: tuple[Variant, ...]
    suites: tuple[tuple[str, bytes], ...]

    @property
    def planted(self) -> Variant:
        """The one variant that plays the bug in the code as found."""
        return next(variant for variant in self.variants if variant.planted)

    def suite(self, kind: str) -> bytes:
        """Source of the suite of that kind; NotFoundError names the kinds there are."""
        for name, source in self.suites:
            if name == kind:
                return source
        raise NotFoundError(
            f"problem {self.subject.name}: no suite {kind!r}; there are {', '.join(SUITE_KINDS)}"
        )


class _Bug(BaseModel):
    model_config = ConfigDict(extra="forbid")
    category: str
    description: str


class _Sheet(BaseModel):
    """`problem.yaml`."""

    model_config = ConfigDict(extra="forbid")
    name: str
    family: str
    function: str
    issue: str
    planted: _Bug
    mutants: dict[Annotated[str, StringConstraints(pattern=r"^mutant_[0-9]+$")], _Bug]


def problem_sets(root: Path = PROBLEMS) -> list[str]:
    """Names of the problem sets there are, sorted."""
    return _folders(root)


def load_problem_set(
    name: str, only: Sequence[str] = (), *, root: Path = PROBLEMS
) -> list[Problem]:
    """Problems of a set by name order, all or `only` those named.

    NotFoundError names what exists; ConfigError holds every fault of every file together.
    """
    if name not in problem_sets(root):
        raise NotFoundError(f"no problem set {name!r}; there are {', '.join(problem_sets(root))}")
    there = _folders(root / name)
    unknown = sorted(set(only) - set(there))
    if unknown:
        raise NotFoundError(
            f"problem set {name}: no problem {', '.join(map(repr, unknown))}; "
            f"there are {', '.join(there)}"
        )
    faults: list[str] = []
    loaded = [_load(root / name / each, faults) for each in there if not only or each in only]
    if faults:
        raise ConfigError(faults)
    return [problem for problem in loaded if problem is not None]


def _folders(path: Path) -> list[str]:
    return sorted(
        child.name for child in path.iterdir() if child.is_dir() and child.name[0] not in "._"
    )


def _load(folder: Path, faults: list[str]) -> Problem | None:
    """One problem, or None with its faults added to the list."""
    before = len(faults)
    sheet = _sheet(folder, faults)
    if sheet is None:
        return None
    sources = {
        stem: _source(folder / f"{stem}.py", sheet.function, faults)
        for stem in ("solution", PLANTED, *sheet.mutants)
    }
    suites = {kind: _source(folder / "suites" / f"{kind}.py", "", faults) for kind in SUITE_KINDS}
    _compare(folder, sources, faults)
    if len(faults) > before:
        return None
    bugs = {PLANTED: sheet.planted, **sheet.mutants}
    return Problem(
        subject=_subject(folder.name, sheet, sources["solution"]),
        function=sheet.function,
        issue=sheet.issue.strip(),
        variants=tuple(
            Variant(stem, sources[stem], stem == PLANTED, bug.category, bug.description.strip())
            for stem, bug in bugs.items()
        ),
        suites=tuple(suites.items()),
    )


def _sheet(folder: Path, faults: list[str]) -> _Sheet | None:
    path = folder / "problem.yaml"
    try:
        sheet = _Sheet.model_validate(yaml.safe_load(path.read_bytes()))
    except ValidationError as error:
        for fault in error.errors():
            where = ".".join(map(str, fault["loc"])) or "the file"
            faults.append(f"{path}: {where}: {fault['msg']}")
        return None
    except OSError as error:
        faults.append(f"{path}: {error.strerror}")
        return None
    except yaml.YAMLError as error:
        faults.append(f"{path}: {' '.join(str(error).split())}")
        return None
    if sheet.name != folder.name:
        faults.append(f"{path}: name: {sheet.name!r} is not the folder's name")
    described, written = set(sheet.mutants), {each.stem for each in folder.glob("mutant_*.py")}
    faults += [
        f"{path}: mutants: {stem}.py is not described" for stem in sorted(written - described)
    ]
    return sheet


def _source(path: Path, function: str, faults: list[str]) -> bytes:
    """Bytes of a file that must parse and, if a function is named, define it with a docstring."""
    try:
        data = path.read_bytes()
        tree = ast.parse(data, path.name)
    except OSError as error:
        faults.append(f"{path}: {error.strerror}")
        return b""
    except (SyntaxError, ValueError) as error:
        faults.append(f"{path}: {error}")
        return b""
    if function and not _docstring(tree, function):
        faults.append(f"{path}: no function {function!r} with a docstring")
    return data


def _compare(folder: Path, sources: dict[str, bytes], faults: list[str]) -> None:
    """A variant equal to the solution or to another variant is a copy nobody finished."""
    seen: dict[bytes, str] = {}
    for stem, source in sources.items():
        if source and source in seen:
            faults.append(f"{folder / stem}.py: the same text as {seen[source]}.py")
        seen.setdefault(source, stem)


def _docstring(tree: ast.Module, function: str) -> str:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return ast.get_docstring(node) or ""
    return ""


def _subject(name: str, sheet: _Sheet, source: bytes) -> Subject:
    digest = sha256(source)
    return Subject(
        subject_id=f"{name}-{digest[:8]}",
        name=name,
        kind="function",
        files=(SourceFile(TARGET, source),),
        targets=(TARGET,),
        module="solution",
        family=sheet.family,
        docstring=_docstring(ast.parse(source), sheet.function),
        function=sheet.function,
        issue=sheet.issue.strip(),
        source_sha256=digest,
    )
