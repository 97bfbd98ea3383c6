"""What an experiment is: the typed schema of its config file.

Fields carry descriptions and bounds; relations between fields are in each model's `mistakes`, which
works on the raw values so that they are reported together with everything else that is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from configs.execution import ExecutionConfig, LimitsConfig
from configs.model import Count, Mistake, Model, Name, Text, one_of
from configs.subjects import GitSource, MutantsConfig, ProjectSource, PypiSource, SubjectConfig

__all__ = [
    "ArmConfig",
    "ExecutionConfig",
    "ExperimentConfig",
    "GitSource",
    "LimitsConfig",
    "MutantsConfig",
    "ProjectSource",
    "PypiSource",
    "SubjectConfig",
    "WriterConfig",
]


def _files_tag(value: Any) -> str:
    return "<list>" if isinstance(value, list) else "<text>"


class WriterConfig(Model):
    """Who wrote the suites: exactly one of files and problem_suite."""

    files: (
        Annotated[
            Annotated[Text, Tag("<text>")]
            | Annotated[list[Text], Field(min_length=1), Tag("<list>")],
            Discriminator(_files_tag),
        ]
        | None
    ) = Field(
        default=None,
        description="existing: the subject's own tests. A folder, by subject name. A JSONL file "
        "with a suite a line. A list: paths or globs in the subject's tree.",
    )
    problem_suite: Literal["reference", "weak", "locking"] | None = Field(
        default=None, description="A hand-written suite that comes with a problem set."
    )

    @classmethod
    def mistakes(cls, data: dict[str, Any]) -> Iterator[Mistake]:
        yield from one_of(cls, data, ("files", "problem_suite"), "a writer")


class ArmConfig(Model):
    """A named way of producing suites."""

    name: Name
    writer: WriterConfig
    subjects: list[Text] = Field(
        default=[], description="Names or globs of the subjects it writes for; empty: all."
    )


class ExperimentConfig(Model):
    """A whole experiment: subjects x arms x replicates, against frozen sets of mutants."""

    experiment: Name = Field(description="Name of the experiment, the start of its id.")
    store: Text = Field(default="./results", description="Folder of the results.")
    replicates: Count = Field(
        default=1, description="Independent draws of every arm on every subject."
    )
    seed: Annotated[int, Field(strict=True, ge=0, lt=2**63)] = Field(
        default=0, description="Seed of everything that is drawn."
    )
    subjects: list[SubjectConfig] = Field(min_length=1)
    mutants: list[MutantsConfig] = Field(
        default=[], description="Mutants of every subject without a list of its own."
    )
    arms: list[ArmConfig] = Field(min_length=1)
    limits: LimitsConfig = LimitsConfig()
    execution: ExecutionConfig = ExecutionConfig()

    @classmethod
    def mistakes(cls, data: dict[str, Any]) -> Iterator[Mistake]:
        yield from _same_names(data, "arms", "arm")
        yield from _same_names(data, "subjects", "subject")
        if not data.get("mutants"):
            for index, subject in enumerate(_items(data, "subjects")):
                if _get(subject, "mutants") is None:
                    yield (
                        ("subjects", index, "mutants"),
                        "no mutants: neither its own list nor a common one",
                    )


def _items(data: dict[str, Any], key: str) -> list[Any]:
    value = data.get(key)
    return value if isinstance(value, list) else []


def _get(item: Any, key: str) -> Any:
    return item.get(key) if isinstance(item, dict) else getattr(item, key, None)


def _same_names(data: dict[str, Any], key: str, noun: str) -> Iterator[Mistake]:
    names = [_get(item, "name") for item in _items(data, key)]
    counts = Counter(name for name in names if isinstance(name, str))
    seen: set[str] = set()
    for index, name in enumerate(names):
        if isinstance(name, str) and counts[name] > 1 and name in seen:
            yield (key, index, "name"), f"two {noun}s are named {name!r}"
        elif isinstance(name, str):
            seen.add(name)
