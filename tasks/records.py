"""The nouns of the field that go into a run, as frozen records; results.py has what comes out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

Outcome = Literal[
    "passed",
    "failed",
    "error",
    "skipped",
    "xfailed",
    "xpassed",
    "timeout",
    "crashed",
    "not_collected",
]
MutantStatus = Literal["ok", "uncompilable", "duplicate", "equivalent_bytecode"]
Strategy = Literal["auto", "swap", "fresh", "process"]


def sha256(data: bytes) -> str:
    """Hex digest used for every content hash of the project."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class SourceFile:
    """One file of a tree or a suite; `path` is relative, with forward slashes."""

    path: str
    data: bytes
    executable: bool = False


@dataclass(frozen=True)
class Environment:
    """What a subject's own virtual environment holds; equal content is the same environment.

    `requirements` are requirement lines; the pins found for them are recorded when it is built.
    """

    python: str = "3.11"
    requirements: tuple[str, ...] = ("pytest", "hypothesis")

    @property
    def environment_id(self) -> str:
        text = "\n".join([self.python, *self.requirements])
        return f"env-{sha256(text.encode())[:16]}"


@dataclass(frozen=True)
class Subject:
    """Code under test. `files` is the whole tree without bytecode; `targets` are paths in it."""

    subject_id: str
    name: str
    kind: Literal["function", "project"]
    files: tuple[SourceFile, ...]
    targets: tuple[str, ...]
    environment: Environment = Environment()
    import_roots: tuple[str, ...] = ("",)
    plugins: tuple[str, ...] = ("_hypothesis_pytestplugin",)
    pytest_args: tuple[str, ...] = ()
    existing_tests: tuple[str, ...] = ()
    module: str = ""
    family: str = ""
    split: str = ""
    docstring: str = ""
    function: str = ""
    issue: str = ""
    licence: str = ""
    source_sha256: str = ""

    @property
    def tree_sha256(self) -> str:
        """Hash over paths and contents of the whole tree, independent of the files' order."""
        lines = [f"{f.path}\0{f.executable:d}\0{sha256(f.data)}" for f in self.files]
        return sha256("\n".join(sorted(lines)).encode("utf-8", "surrogateescape"))

    def source(self, path: str) -> bytes:
        """Bytes of one file of the tree; KeyError when there is none."""
        for file in self.files:
            if file.path == path:
                return file.data
        raise KeyError(path)


@dataclass(frozen=True)
class Mutant:
    """One small change to one target file. `source` is the complete mutated file as bytes."""

    mutant_id: str
    subject_id: str
    engine: str
    engine_version: str
    name: str
    operator: str
    category: str
    path: str
    line: int
    column: int
    diff: str
    source: bytes
    status: MutantStatus = "ok"
    planted: bool = False

    @property
    def source_sha256(self) -> str:
        return sha256(self.source)


@dataclass(frozen=True)
class Suite:
    """The pytest files of one writer for one subject.

    `files` are laid over the subject's tree; `paths` are pytest's arguments, relative to it.
    `draw` counts the draws of a best-of arm, `round` what came after; `flags` say what was done to
    a generated text before it became a suite.
    """

    suite_id: str
    subject_id: str
    arm: str
    replicate: int
    files: tuple[SourceFile, ...]
    paths: tuple[str, ...]
    round: int = 0
    role: str = "writer"
    origin: str = "files"
    model: str = ""
    condition: str = ""
    draw: int = 0
    prompt_sha256: str = ""
    flags: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The suite's text: one file as it is, several joined under their paths."""
        texts = [(f.path, f.data.decode("utf-8", "surrogateescape")) for f in self.files]
        if len(texts) == 1:
            return texts[0][1]
        return "\n".join(f"# --- {path}\n{text}" for path, text in texts)

    @property
    def source_sha256(self) -> str:
        return sha256(self.source.encode("utf-8", "surrogateescape"))


@dataclass(frozen=True)
class Limits:
    """Caps on one test or one process. Times in seconds, sizes in MiB."""

    cpu_multiplier: float = 10.0
    cpu_floor_s: float = 0.25
    wall_floor_s: float = 5.0
    confirm_factor: float = 2.0
    collect_s: float = 60.0
    memory_mb: int = 1024
    file_mb: int = 64
    processes: int = 256
    open_files: int = 1024
    tests: int = 10_000


@dataclass(frozen=True)
class ExecutionSettings:
    """How a suite is to be run against mutants; the same for every suite of a run."""

    matrix: Literal["full", "first_kill"] = "full"
    strategy: Strategy = "auto"
    select: Literal["covering", "all"] = "covering"
    isolation: Literal["row", "test"] = "row"
    baseline_runs: int = 2
    recheck_share: float = 0.01
    seed: int = 0
    sandbox: Literal["bwrap"] = "bwrap"
    limits: Limits = Limits()
    environment: str = "default"
    variables: tuple[tuple[str, str], ...] = ()
