"""docs/config.md names every key of the schema with its default, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel

import configs.schema
from configs.schema import ExperimentConfig

TEXT = (Path(__file__).parents[2] / "docs" / "config.md").read_text("utf-8")
MODELS = [
    value
    for name, value in vars(configs.schema).items()
    if name in configs.schema.__all__ and isinstance(value, type) and issubclass(value, BaseModel)
]


def documented(model: str) -> dict[str, str]:
    """Keys and defaults of the table under the heading that names `model`."""
    section = re.split(r"^#+ ", TEXT.split(f"`{model}`\n", 1)[1], maxsplit=1, flags=re.M)[0]
    rows = re.findall(r"^\| `(\w+)` \|.*?\| ([^|]*?) ?\| [^|]*\|$", section, flags=re.M)
    return dict(rows)


def expected(model: type[BaseModel]) -> dict[str, str]:
    found = {}
    for name, field in model.model_fields.items():
        default = field.get_default()
        if field.is_required():
            found[name] = "required"
        elif isinstance(default, BaseModel):
            found[name] = ""
        else:
            found[name] = "`null`" if default is None else f"`{default}`"
    return found


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_the_docs_have_every_key_and_its_default(model: type[BaseModel]) -> None:
    assert documented(model.__name__) == expected(model)


def test_the_example_of_the_docs_is_a_valid_config() -> None:
    example = re.search(r"## An example\n\n```yaml\n(.*?)```", TEXT, flags=re.S)
    assert example
    ExperimentConfig.model_validate(yaml.safe_load(example[1]))
