"""Arms that stand for many: one for each model and each prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from configs.models import ModelConfig, ModelWriterConfig
from configs.schema import ArmConfig, ExperimentConfig


def expand_arms(config: ExperimentConfig) -> tuple[ArmConfig, ...]:
    """The config's arms, with every model writer down to one model and one prompt.

    An arm that had `model: each` or a list of prompts gives several, whose names end in the model
    and the prompt: `code.openai-gpt-5.code_shown`.
    """
    return tuple(arm for given in config.arms for arm in _expanded(given, config))


def _expanded(arm: ArmConfig, config: ExperimentConfig) -> Iterator[ArmConfig]:
    writer = arm.writer
    if not isinstance(writer, ModelWriterConfig):
        yield arm
        return
    each = writer.model == "each"
    models = (
        [_model(entry) for entry in config.models] if each else [ModelConfig(model=writer.model)]
    )
    prompts = writer.prompt if isinstance(writer.prompt, list) else [writer.prompt]
    for model in models:
        for prompt in prompts:
            parts = [arm.name]
            parts += [_slug(model.model)] if each else []
            parts += [_slug(PurePath(prompt).stem)] if isinstance(writer.prompt, list) else []
            changed = {"model": model.model, "prompt": prompt}
            cap = model.max_output_tokens
            only = writer.model_copy(
                update=changed | ({"max_output_tokens": cap} if cap is not None else {})
            )
            yield arm.model_copy(update={"name": ".".join(parts), "writer": only})


def _model(entry: str | ModelConfig) -> ModelConfig:
    return entry if isinstance(entry, ModelConfig) else ModelConfig(model=entry)


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text)
