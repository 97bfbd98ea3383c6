"""Loading: precedence, places of mistakes, what YAML text means, and the config's hash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from configs.errors import ConfigError
from configs.loading import config_sha256, load_config
from configs.overrides import apply_override, parse_override

EXPERIMENTS = Path(__file__).parents[2] / "configs" / "experiments"
GOOD = """\
experiment: small
store: ./results
seed: 7
subjects:
  - project: tree
    targets: [m.py]
mutants:
  - engine: mutmut
arms:
  - name: upstream
    writer: {files: existing}
execution:
  matrix: full
"""


@pytest.fixture
def config_file(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    path = tmp_path / "small.yaml"
    path.write_text(GOOD, "utf-8")
    return path


def problems(path: Path, text: str | None = None, *sets: str) -> list[str]:
    """Lines of the ConfigError that loading raises, without the folder."""
    if text is not None:
        path.write_text(text, "utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(path, sets)
    return [line.replace(f"{path.parent}/", "") for line in caught.value.problems]


def test_precedence_is_defaults_then_file_then_set(config_file: Path) -> None:
    config = load_config(config_file, ["seed=9", "seed=10"])
    assert (config.replicates, config.experiment, config.seed) == (1, "small", 10)


def test_three_mistakes_print_three_lines_with_their_places(config_file: Path) -> None:
    text = GOOD.replace("seed: 7", "sead: 7").replace("mutmut", "mutant")
    text = text.replace("matrix: full", "memory_mb: 1")
    assert problems(config_file, text) == [
        "small.yaml:3:1: sead: unknown key sead; did you mean seed?",
        "small.yaml:8:5: mutants.0.engine: must be 'mutmut', 'edits' or 'variants', not 'mutant'",
        "small.yaml:13:3: execution.memory_mb: must be at least 64, not 1",
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("seed: 7", "seed: -1", "small.yaml:3:1: seed: must be at least 0, not -1"),
        ("seed: 7", "seed: 1.5", "small.yaml:3:1: seed: must be a whole number, not 1.5"),
        ("seed: 7", "seed:", "small.yaml:3:1: seed: must be a whole number, not nothing"),
        ("seed: 7", "memory_mb: 100", "unknown key memory_mb here; it belongs under execution"),
        ("seed: 7", "xyz: 1", "small.yaml:3:1: xyz: unknown key xyz; known here: experiment, "),
        ("seed: 7", "seed: 7\nseed: 8", "small.yaml:4:1: seed is given twice (also line 3)"),
        ("experiment: small", "store2: x", "small.yaml:1:1: experiment: experiment is missing"),
        ("small", "a b", "small.yaml:1:1: experiment: must begin with a letter or digit"),
        ("small", "3.10", "small.yaml:1:1: experiment: must be text; write it in quotes: '3.10'"),
        ("project: tree", "project: tre", "small.yaml:5:5: subjects.0.project: no folder tre in "),
        ("project: tree", "project: {pypi: idna}", "5:15: subjects.0.project.pypi: must be a pa"),
        ("project: tree", "project: {git: x, rev: main}", "subjects.0.project.rev: must be the f"),
        ("project: tree", "project: 3", "subjects.0.project: must be text; write it in quotes: '3"),
        ("[m.py]", "m.py", "small.yaml:6:5: subjects.0.targets: must be a list, not 'm.py'"),
        ("[m.py]", "[m.py, 3]", "small.yaml:6:21: subjects.0.targets.1: must be text; write it"),
        ("[m.py]", "[m.py]\n    python: 3.10", "7:5: subjects.0.python: must be text; write it"),
        ("targets: [m.py]", "tests: [t]", "5:5: subjects.0.targets: a project needs targets"),
        ("- engine: mutmut", "- {engine: edits, file: e.jsonl}", "8:21: mutants.0.file: no file"),
        ("- engine: mutmut", "- {engine: edits}", "8:5: mutants.0.file: engine edits needs a f"),
        ("files: existing", "model: gpt, prompt: spec_only", "11:14: arms.0.writer.model: must be"),
        ("files: existing", "model: a/b", "arms.0.writer.prompt: prompt is missing"),
        ("files: existing", "model: each, prompt: spec_only", "11:14: arms.0.writer.model: no mod"),
        ("files: existing", "model: a/b, prompt: spec_onyl", "11:26: arms.0.writer.prompt: no pr"),
        ("files: existing", "files: suites", "11:14: arms.0.writer.files: no file or folder sui"),
        ("{files: existing}", "existing", "arms.0.writer: must be a mapping of keys to values"),
        ("matrix: full", "matrix: ful", "13:3: execution.matrix: must be 'full' or 'first_kill'"),
        ("  matrix: full", "\tmatrix: full", "small.yaml:13:1: a tab may not indent; use spaces"),
        (
            "{files: existing}",
            "{files: existing",
            "small.yaml:12:10: while parsing a flow mapping (begun on line 11)",
        ),
        ("seed: 7", "seed: !!python/name:os.system", "small.yaml:3:7: could not determine a cons"),
        ("seed: 7", "seed: *nowhere", "small.yaml:3:7: found undefined alias 'nowhere'"),
        ("seed: 7", "seed: 7\n---\na: 1", "small.yaml:4:1: expected a single document in the st"),
        ("seed: 7", "seed: 7 \x07", "small.yaml:3: the character '\\x07' is not YAML"),
        ("seed: 7", "seed: &a [*a]", "small.yaml:3:7: an anchor may not contain itself"),
    ],
)
def test_a_mistake_is_one_line_with_its_place(
    config_file: Path, old: str, new: str, expected: str
) -> None:
    assert old in GOOD
    found = [line for line in problems(config_file, GOOD.replace(old, new)) if expected in line]
    assert len(found) == 1
    assert "\n" not in found[0]


@pytest.mark.parametrize("text", ["", "# nothing\n", "- a\n", "text\n"])
def test_a_config_that_is_no_mapping_is_one_line(config_file: Path, text: str) -> None:
    assert len(problems(config_file, text)) == 1


def test_a_misspelt_required_key_is_one_mistake(config_file: Path) -> None:
    assert problems(config_file, GOOD.replace("targets:", "target:")) == [
        "small.yaml:6:5: subjects.0.target: unknown key target; did you mean targets?"
    ]


def test_bytes_that_are_not_utf8_are_named_by_line(config_file: Path) -> None:
    config_file.write_bytes(GOOD.encode() + b"# caf\xe9\n")
    assert problems(config_file) == ["small.yaml:14: the config must be UTF-8"]


def test_a_file_that_is_not_there_is_a_config_mistake(tmp_path: Path) -> None:
    assert problems(tmp_path / "none.yaml") == ["none.yaml: no such config file"]
    assert "cannot be read" in problems(tmp_path)[0]


def test_a_byte_order_mark_and_crlf_are_read(config_file: Path) -> None:
    config_file.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert load_config(config_file).experiment == "small"


def test_words_and_numbers_mean_what_they_look_like(config_file: Path) -> None:
    text = GOOD.replace("small", "no").replace("seed: 7", "seed: 010")
    config_file.write_text(text + "  recheck_share: 1e-3\n  variables: {A: on, B: 2026-11-30}\n")
    config = load_config(config_file)
    assert (config.experiment, config.seed, config.execution.recheck_share) == ("no", 10, 0.001)
    assert config.execution.variables == {"A": "on", "B": "2026-11-30"}


def test_merged_keys_take_part_and_mistakes_in_them_have_places(config_file: Path) -> None:
    text = GOOD.replace(
        "- engine: mutmut", "- &m {engine: mutmut, limit: 3}\n  - {<<: *m, limit: 4}"
    )
    config_file.write_text(text)
    assert [m.limit for m in load_config(config_file).mutants] == [3, 4]
    assert problems(config_file, text.replace("limit: 4", "limit: 0")) == [
        "small.yaml:9:14: mutants.1.limit: must be at least 1, not 0"
    ]
    wrong = problems(config_file, text.replace("mutmut,", "mutmud,"))
    assert [line.split(": ")[0] for line in wrong] == ["small.yaml:8:9", "small.yaml:8:9"]


def test_set_reaches_into_lists_makes_sections_and_appends(config_file: Path) -> None:
    sets = ["arms.0.name=x", "limits.tests=40", "arms.1={name: y, writer: {files: existing}}"]
    config = load_config(config_file, sets)
    assert [arm.name for arm in config.arms] == ["x", "y"]
    assert config.limits.tests == 40


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("seed=x", "--set seed=x: seed: must be a whole number, not 'x'"),
        ("execution.matrx=full", "--set execution.matrx=full: execution.matrx: unknown key matrx"),
        ("foo.bar=1", "--set foo.bar=1: foo: unknown key foo; known here"),
        ("seed", "--set seed: must look like key.key=value"),
        ("=1", "--set =1: must look like key.key=value"),
        ("a..b=1", "--set a..b=1: must look like key.key=value"),
        ("seed=[1", "--set seed=[1:1:3: while parsing a flow sequence"),
        ("seed.x=1", "--set seed.x=1: seed holds a single value, nothing below it"),
        ("arms.x.name=1", "--set arms.x.name=1: arms has 1 items, counted from 0"),
        ("arms.2.name=1", "--set arms.2.name=1: arms has 1 items, counted from 0"),
        ("subjects.0.project=no", "--set subjects.0.project=no: subjects.0.project: no folder no"),
    ],
)
def test_a_mistake_in_set_is_one_line_that_repeats_it(
    config_file: Path, text: str, expected: str
) -> None:
    found = problems(config_file, None, text)
    assert len(found) == 1
    assert found[0].startswith(expected)


def test_mistakes_of_file_and_set_come_together(config_file: Path) -> None:
    found = problems(config_file, GOOD.replace("seed: 7", "seed: x"), "store=", "replicates=0")
    assert [line.split(": ")[0] for line in found] == [
        "small.yaml:3:1",
        "--set store=",
        "--set replicates=0",
    ]


WORDS = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=8)
PRINTABLE = st.text(
    st.characters(
        min_codepoint=32, max_codepoint=0x10FFFD, exclude_categories=["Cs", "Cc", "Cn", "Co"]
    )
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | PRINTABLE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


@given(path=st.lists(WORDS | st.integers(0, 99).map(str), min_size=1, max_size=4), value=VALUES)
def test_any_value_set_as_json_comes_back_as_it_was(path: list[str], value: Any) -> None:
    text = ".".join(path) + "=" + json.dumps(value, ensure_ascii=False)
    override = parse_override(text)
    assert override.loc == tuple(int(s) if s.isdecimal() else s for s in path)
    assert override.value == value
    assert type(override.value) is type(value)


@given(value=VALUES)
def test_any_value_set_as_yaml_comes_back_as_it_was(value: Any) -> None:
    written = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10**9)
    assert parse_override(f"a={written}").value == value


@given(path=st.lists(WORDS, min_size=1, max_size=4), value=VALUES)
def test_applying_a_set_changes_its_place_and_nothing_else(path: list[str], value: Any) -> None:
    before: dict[str, Any] = {"Other": {"x": [1, 2]}}
    after = apply_override(before, parse_override(".".join(path) + "=" + json.dumps(value)))
    assert before == {"Other": {"x": [1, 2]}}
    assert after["Other"] is before["Other"]
    for step in path:
        after = after[step]
    assert after == parse_override("a=" + json.dumps(value)).value


def test_aliased_parts_are_set_one_by_one(config_file: Path) -> None:
    text = GOOD.replace("{files: existing}", "&w {files: existing}\n  - {name: b, writer: *w}")
    config_file.write_text(text)
    config = load_config(config_file, ["arms.0.writer.files=[tests]"])
    assert [arm.writer.files for arm in config.arms] == [["tests"], "existing"]


@pytest.mark.parametrize("path", sorted(EXPERIMENTS.glob("*.yaml")), ids=lambda path: path.name)
def test_every_experiment_that_comes_along_is_valid(path: Path) -> None:
    models = ["models=[openai/some-model]"] if "model: each" in path.read_text() else []
    assert load_config(path, models).experiment == path.stem


def test_the_hash_follows_what_defines_the_numbers_only(config_file: Path) -> None:
    plain = config_sha256(load_config(config_file))
    assert config_sha256(load_config(config_file, ["store=elsewhere"])) == plain
    assert config_sha256(load_config(config_file, ["replicates=1"])) == plain
    assert config_sha256(load_config(config_file, ["seed=8"])) != plain
    config_file.write_text("# a comment\n" + GOOD)
    assert config_sha256(load_config(config_file)) == plain
