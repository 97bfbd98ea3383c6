"""Prompts that a config names: known ones, those nobody has, and files outside of its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from configs.errors import ConfigError
from configs.loading import load_config
from configs.prompt_files import prompt_names

TEXT = """\
experiment: small
subjects:
  - problems: green_tests
mutants:
  - engine: variants
arms:
  - name: one
    writer: {model: a/b, prompt: spec_only}
  - name: two
    writer:
      model: a/b
      prompt:
        - code_shown
        - own/p.j2
      repair_prompt: repair
"""


def problems(tmp_path: Path, text: str) -> list[str]:
    (tmp_path / "own").mkdir(exist_ok=True)
    (tmp_path / "own" / "p.j2").write_text("Test it.")
    (tmp_path / "small.yaml").write_text(text)
    try:
        load_config(tmp_path / "small.yaml")
    except ConfigError as error:
        return [line.removeprefix(f"{tmp_path}/") for line in error.problems]
    return []


def test_names_and_files_that_are_there_are_taken(tmp_path: Path) -> None:
    assert problems(tmp_path, TEXT) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "spec_only",
            "spec_onyl",
            "small.yaml:8:26: arms.0.writer.prompt: no prompt 'spec_onyl'; did you mean spec_only?",
        ),
        (
            "code_shown",
            "xyz",
            "small.yaml:13:11: arms.1.writer.prompt.0: no prompt 'xyz'; there are "
            + ", ".join(prompt_names()),
        ),
        ("own/p.j2", "own/q.j2", "14:11: arms.1.writer.prompt.1: no prompt file own/q.j2 in "),
        ("own/p.j2", "own", "14:11: arms.1.writer.prompt.1: no prompt 'own'; there are "),
        ("own/p.j2", "../p.j2", "the prompt file ../p.j2 is outside of the config's folder"),
        ("own/p.j2", "/etc/passwd", "the prompt file /etc/passwd is outside of the config's"),
        ("repair\n", "repare\n", "15:7: arms.1.writer.repair_prompt: no prompt 'repare'; did"),
        ("spec_only", "_task", "arms.0.writer.prompt: no prompt file _task in "),
    ],
)
def test_a_prompt_that_is_not_there_is_told_with_its_place(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    assert TEXT.count(old) == 1
    (line,) = problems(tmp_path, TEXT.replace(old, new))
    assert expected in line


@pytest.mark.parametrize("value", ["3", "[]", "[3]", "''", "{a: b}"])
def test_what_is_no_text_is_left_to_the_schema(tmp_path: Path, value: Any) -> None:
    found = problems(tmp_path, TEXT.replace("spec_only", value))
    assert found
    assert not [line for line in found if "no prompt '" in line]
