"""How suites are run and what they may use: the `limits` and `execution` parts of a config."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from configs.model import Count, Factor, Mistake, Model, Name, Positive, Share, same_names


class LimitsConfig(Model):
    """Caps on what a suite may hold."""

    tests: Count = Field(default=10_000, description="A suite that collects more tests is refused.")
    test_functions: Count | None = Field(
        default=None, description="Of a suite that was generated, only the first so many are kept."
    )
    unclosed_fence: Literal["refuse", "cut_back"] = Field(
        default="refuse",
        description="A reply whose code has no end was cut, whatever its provider says of it: "
        "no suite; or cut back to the last statement that parses.",
    )


class EnvironmentConfig(Model):
    """One setting under which suites are run, as a time zone: a key of the matrix."""

    name: Name
    variables: dict[str, str] = Field(
        default={}, description="Variables on top of those common to all environments."
    )


class ExecutionConfig(Model):
    """How suites are run; times in seconds, sizes in MiB."""

    matrix: Literal["full", "first_kill"] = Field(
        default="full",
        description="first_kill: stop a mutant's row at the first test that kills it.",
    )
    strategy: Literal["auto", "swap", "fresh", "process"] = Field(
        default="auto",
        description="How a mutant is activated; auto takes the fastest that is sound.",
    )
    select: Literal["covering", "all"] = Field(
        default="covering",
        description="covering: skip tests that cannot reach the mutated function.",
    )
    isolation: Literal["row", "test"] = Field(
        default="row", description="test: every test of a row in a process of its own."
    )
    baseline_runs: Count = Field(
        default=2, description="Runs on the correct code, each in a new process."
    )
    recheck_share: Share = Field(
        default=0.01,
        description="Share of the rows run again in a new pytest process, as a self-check.",
    )
    sandbox: Literal["bwrap"] = Field(
        default="bwrap",
        description="What suites run in. Strangers' code is never run bare: there is no other.",
    )
    variables: dict[str, str] = Field(
        default={}, description="Environment variables that tests see; nothing else is inherited."
    )
    environments: list[EnvironmentConfig] = Field(
        default=[],
        description="Settings under which every suite is run, of which the first says what is "
        "valid; none: one, named default.",
    )
    cpu_multiplier: Factor = Field(
        default=10.0,
        description="CPU limit of a test: its baseline times this, but at least the floor.",
    )
    cpu_floor_s: Positive = Field(default=0.25, description="Least CPU limit of a test.")
    wall_floor_s: Positive = Field(default=5.0, description="Least wall-clock limit of a test.")
    confirm_factor: Factor = Field(
        default=2.0,
        description="A timeout is believed after a second run with limits longer by this.",
    )
    collect_s: Positive = Field(default=60.0, description="Wall-clock limit of collecting a suite.")
    memory_mb: Annotated[int, Field(strict=True, ge=64)] = Field(
        default=1024, description="Memory of a process."
    )
    file_mb: Count = Field(default=64, description="Size of a file that a test writes.")
    processes: Count = Field(default=256, description="Processes of a suite.")
    open_files: Annotated[int, Field(strict=True, ge=32)] = Field(
        default=1024, description="Open files of a process."
    )

    @classmethod
    def mistakes(cls, data: dict[str, Any]) -> Iterator[Mistake]:
        yield from same_names(data, "environments", "environment")
