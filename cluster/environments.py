"""The settings under which a config's suites are run, as the records that tasks take."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from configs.execution import EnvironmentConfig
from configs.schema import ExecutionConfig, ExperimentConfig
from tasks.records import ExecutionSettings, Limits


def environments_of(config: ExperimentConfig) -> tuple[ExecutionSettings, ...]:
    """A config's `execution` and `limits` as the records that tasks take, for each environment."""
    given = config.execution.model_dump()
    limits = {field.name: given[field.name] for field in fields(Limits) if field.name in given}
    names = {field.name for field in fields(ExecutionSettings)} & set(ExecutionConfig.model_fields)
    settings: dict[str, Any] = {name: given[name] for name in names}
    settings["limits"] = Limits(**limits, tests=config.limits.tests)
    common = config.execution.variables
    return tuple(
        ExecutionSettings(
            **settings
            | {
                "environment": each.name,
                "variables": tuple(sorted({**common, **each.variables}.items())),
            },
            seed=config.seed,
        )
        for each in config.execution.environments or [EnvironmentConfig(name="default")]
    )
