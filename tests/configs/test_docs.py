"""docs/config.md names every key of the schema with its default, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import configs.schema
from configs.places import read_document
from configs.schema import ExperimentConfig

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "config.md").read_text("utf-8")
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


MINIMAL: dict[str, Any] = {
    "experiment": "x",
    "subjects": [{"project": "tree", "targets": ["x.py"]}],
    "mutants": [{"engine": "mutmut"}],
    "arms": [{"name": "own", "writer": {"files": "existing"}}],
}
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    (page.name, block)
    for page in PAGES
    for block in re.findall(r"^```yaml\n(.*?)^```", page.read_text("utf-8"), flags=re.S | re.M)
]


@pytest.mark.parametrize(("page", "block"), BLOCKS)
def test_every_config_in_the_docs_is_valid_in_whole_or_in_part(page: str, block: str) -> None:
    values = read_document(block, page).value
    if set(values) <= set(ExperimentConfig.model_fields):
        ExperimentConfig.model_validate(MINIMAL | values)


def test_the_docs_have_an_example_of_a_whole_config() -> None:
    wholes = [page for page, block in BLOCKS if block.startswith("experiment:")]
    assert {"README.md", "config.md"} <= set(wholes)
