"""What an experiment is: the typed schema of its config file.

Fields carry descriptions and bounds; relations between fields are in each model's `mistakes`, which
works on the raw values so that they are reported together with everything else that is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from configs.execution import EnvironmentConfig, ExecutionConfig, LimitsConfig
from configs.model import Count, Mistake, Model, Name, Text, field_of, items, one_of, same_names
from configs.models import (
    CallsConfig,
    GeneratorConfig,
    GhostwriterConfig,
    ModelConfig,
    ModelId,
    ModelWriterConfig,
    PricesConfig,
    ProviderConfig,
    PynguinConfig,
)
from configs.subjects import GitSource, MutantsConfig, ProjectSource, PypiSource, SubjectConfig

__all__ = [
    "ArmConfig",
    "CallsConfig",
    "EnvironmentConfig",
    "ExecutionConfig",
    "ExperimentConfig",
    "GhostwriterConfig",
    "GitSource",
    "LimitsConfig",
    "ModelConfig",
    "ModelWriterConfig",
    "MutantsConfig",
    "PricesConfig",
    "ProjectSource",
    "ProviderConfig",
    "PynguinConfig",
    "PypiSource",
    "SubjectConfig",
    "WriterConfig",
]


def _files_tag(value: Any) -> str:
    return "<list>" if isinstance(value, list) else "<text>"


class WriterConfig(Model):
    """A writer that is no model: exactly one of its fields says which."""

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
    pynguin: PynguinConfig | None = Field(
        default=None, description="Suites by Pynguin, of a fixed budget and seed."
    )
    ghostwriter: GhostwriterConfig | None = Field(
        default=None, description="Suites by Hypothesis' ghostwriter."
    )

    @property
    def generator(self) -> GeneratorConfig | None:
        """The tool that writes during the run; None where the suites are there before."""
        return self.pynguin or self.ghostwriter

    @classmethod
    def mistakes(cls, data: dict[str, Any]) -> Iterator[Mistake]:
        yield from one_of(
            cls, data, ("files", "problem_suite", "pynguin", "ghostwriter"), "a writer"
        )


def _model_tag(value: Any) -> str:
    return "<model>" if isinstance(value, dict | ModelConfig) else "<text>"


def _writer_tag(value: Any) -> str:
    model = isinstance(value, ModelWriterConfig)
    return "<model>" if model or (isinstance(value, dict) and "model" in value) else "<other>"


class ArmConfig(Model):
    """A named way of producing suites; see arms.py for one that stands for many."""

    name: Name
    writer: Annotated[
        Annotated[ModelWriterConfig, Tag("<model>")] | Annotated[WriterConfig, Tag("<other>")],
        Discriminator(_writer_tag),
    ]
    subjects: list[Text] = Field(
        default=[], description="Names or globs of the subjects it writes for; empty: all."
    )


class ExperimentConfig(Model):
    """A whole experiment: subjects x arms x replicates, against frozen sets of mutants."""

    experiment: Name = Field(description="Name of the experiment, the start of its id.")
    store: Text = Field(
        default="./results", description="Folder of the results, or s3://bucket/prefix."
    )
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
    models: list[
        Annotated[
            Annotated[ModelId, Tag("<text>")] | Annotated[ModelConfig, Tag("<model>")],
            Discriminator(_model_tag),
        ]
    ] = Field(default=[], description="The models of arms whose writer says `model: each`.")
    providers: dict[Name, ProviderConfig] = Field(
        default={}, description="Servers of models, beside or instead of those built in."
    )
    calls: CallsConfig = CallsConfig()
    limits: LimitsConfig = LimitsConfig()
    execution: ExecutionConfig = ExecutionConfig()

    @classmethod
    def mistakes(cls, data: dict[str, Any]) -> Iterator[Mistake]:
        yield from same_names(data, "arms", "arm")
        yield from same_names(data, "subjects", "subject")
        if not data.get("models"):
            for index, arm in enumerate(items(data, "arms")):
                if field_of(field_of(arm, "writer"), "model") == "each":
                    yield (
                        ("arms", index, "writer", "model"),
                        "no models: give the config a list of `models`, "
                        """or --set 'models=["provider/model"]'""",
                    )
        if not data.get("mutants"):
            for index, subject in enumerate(items(data, "subjects")):
                if field_of(subject, "mutants") is None:
                    yield (
                        ("subjects", index, "mutants"),
                        "no mutants: neither its own list nor a common one",
                    )
