"""What is tested: subjects, where they come from, and the mutants made of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from configs.model import Count, Mistake, Model, Name, Text, one_of


class MutantsConfig(Model):
    """One source of mutants."""

    engine: Literal["mutmut", "edits", "variants"] = Field(
        description="mutmut: its operators, as a library. edits: a JSONL file of small "
        "replacements. variants: whole hand-written versions."
    )
    version: Text | None = Field(
        default=None,
        description="Release of the engine, such as 3.6.0; default: the one installed.",
    )
    file: Text | None = Field(
        default=None,
        description="JSONL file of edits or variants, or folder of variants, relative to the "
        "config file. Variants with no file: those that come with a problem set.",
    )
    limit: Count | None = Field(
        default=None,
        description="At most so many mutants of this source per subject, drawn by the seed.",
    )

    @classmethod
    def mistakes(cls, data: dict[str, Any]) -> Iterator[Mistake]:
        engine = data.get("engine")
        if engine == "edits" and data.get("file") is None:
            yield ("file",), "engine edits needs a file"
        if engine == "mutmut" and data.get("file") is not None:
            yield ("file",), "engine mutmut takes no file"
        if engine in ("edits", "variants") and data.get("version") is not None:
            yield ("version",), f"engine {engine} has no version"


class PypiSource(Model):
    """A source archive of a released package."""

    pypi: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9.!+_-]+$")] = Field(
        description="Package and exact version: idna==3.16."
    )


class GitSource(Model):
    """A revision of a git repository."""

    git: Text = Field(description="URL or path of the repository.")
    rev: Annotated[str, Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")] = Field(
        description="The full hash of the commit."
    )


def _source_tag(value: Any) -> str:
    if isinstance(value, dict):
        return "<pypi>" if "pypi" in value else "<git>"
    if isinstance(value, PypiSource):
        return "<pypi>"
    return "<git>" if isinstance(value, GitSource) else "<path>"


ProjectSource = Annotated[
    Annotated[Text, Tag("<path>")]
    | Annotated[PypiSource, Tag("<pypi>")]
    | Annotated[GitSource, Tag("<git>")],
    Discriminator(_source_tag),
]


class SubjectConfig(Model):
    """One subject, or a set of them: exactly one of problems, project and functions."""

    problems: Text | None = Field(default=None, description="Name of a built-in problem set.")
    project: ProjectSource | None = Field(
        default=None,
        description="A project tree: a path, {pypi: idna==3.16} or {git: URL or path, rev: SHA}.",
    )
    functions: Text | None = Field(
        default=None,
        description="JSONL file with one function a line, relative to the config file.",
    )
    name: Name | None = Field(
        default=None, description="Name of a project subject; default: the package or folder."
    )
    targets: list[Text] = Field(
        default=[], description="Paths or globs of the files to mutate, relative to the tree."
    )
    only: list[Text] = Field(
        default=[],
        description="Names or globs: take only these of a problem set or functions file.",
    )
    existing_tests: Literal["keep", "strip"] = Field(
        default="keep", description="strip: the project's own tests are removed from the tree."
    )
    tests: list[Text] = Field(
        default=[],
        description="Paths or globs of the project's own tests; default: tests/ or test/.",
    )
    environment: list[Text] = Field(
        default=[],
        description="Further requirements of the subject's environment, which holds pytest, "
        "hypothesis and what a project declares to need.",
    )
    python: Annotated[str, Field(pattern=r"^3\.\d+(\.\d+)?$")] = Field(
        default="3.11", description="Python of the subject's environment."
    )
    plugins: list[Text] = Field(
        default=[], description="Modules of pytest plugins to load; nothing is loaded unasked."
    )
    import_roots: list[str] = Field(
        default=[],
        description="Folders of the tree on sys.path; default: src if there is one, else the top.",
    )
    pytest_args: list[Text] = Field(default=[], description="Further arguments for pytest.")
    mutants: list[MutantsConfig] | None = Field(
        default=None,
        min_length=1,
        description="This subject's own mutants, in place of the common list.",
    )

    @classmethod
    def mistakes(cls, data: dict[str, Any]) -> Iterator[Mistake]:
        yield from one_of(cls, data, ("problems", "project", "functions"), "a subject")
        project = data.get("project") is not None
        if project and data.get("problems") is None and not data.get("targets"):
            yield ("targets",), "a project needs targets, the files to mutate"
        for key in ("only",) if project else ():
            if data.get(key):
                yield (key,), "only goes with problems and functions; a project has targets"
        for key in () if project else ("name", "targets", "tests", "existing_tests"):
            if data.get(key):
                yield (key,), f"{key} goes with a project"
