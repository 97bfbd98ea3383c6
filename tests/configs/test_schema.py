"""The schema: bounds, relations between fields, and its agreement with the records of tasks."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from pydantic import ValidationError

from configs.schema import (
    ArmConfig,
    ExecutionConfig,
    ExperimentConfig,
    LimitsConfig,
    MutantsConfig,
    SubjectConfig,
    WriterConfig,
)
from tasks.records import ExecutionSettings, Limits

MINIMAL: dict[str, Any] = {
    "experiment": "small",
    "subjects": [{"project": {"pypi": "idna==3.16"}, "targets": ["idna/cli.py"]}],
    "mutants": [{"engine": "mutmut"}],
    "arms": [{"name": "upstream", "writer": {"files": "existing"}}],
}


def messages(error: ValidationError) -> list[str]:
    return [e["msg"] for e in error.errors()]


def test_a_minimal_config_has_the_documented_defaults() -> None:
    config = ExperimentConfig.model_validate(MINIMAL)
    assert (config.store, config.replicates, config.seed) == ("./results", 1, 0)
    assert config.subjects[0].existing_tests == "keep"
    assert config.arms[0].subjects == []


def test_defaults_of_execution_are_those_of_the_records() -> None:
    ours = ExecutionConfig().model_dump() | {"tests": LimitsConfig().tests}
    theirs = dataclasses.asdict(ExecutionSettings())
    theirs |= theirs.pop("limits")
    shared = (set(ours) & set(theirs)) - {"variables"}
    assert set(ours) - shared == {"variables", "environments"}
    assert {key: ours[key] for key in shared} == {key: theirs[key] for key in shared}


def test_every_limit_of_the_records_can_be_set() -> None:
    keys = set(ExecutionConfig.model_fields) | set(LimitsConfig.model_fields)
    assert {f.name for f in dataclasses.fields(Limits)} <= keys


@pytest.mark.parametrize(
    ("project", "kind"),
    [("a/tree", str), ({"pypi": "idna==3.16"}, object), ({"git": "x", "rev": "a" * 40}, object)],
)
def test_a_project_is_a_path_an_archive_or_a_revision(project: Any, kind: type) -> None:
    subject = SubjectConfig.model_validate({"project": project, "targets": ["m.py"]})
    assert isinstance(subject.project, kind)
    assert subject.model_dump()["project"] == project


@pytest.mark.parametrize(
    ("model", "data", "expected"),
    [
        (SubjectConfig, {}, "needs one of problems, project, functions"),
        (SubjectConfig, {"python": "3.11"}, "needs one of problems"),
        (SubjectConfig, {"problems": "p", "functions": "f.jsonl"}, "has only one of"),
        (SubjectConfig, {"project": "tree"}, "a project needs targets"),
        (SubjectConfig, {"problems": "p", "targets": ["x.py"]}, "targets goes with a project"),
        (SubjectConfig, {"project": "t", "targets": ["x.py"], "only": ["a"]}, "only goes with"),
        (SubjectConfig, {"problems": "p", "mutants": []}, "at least 1 item"),
        (MutantsConfig, {"engine": "edits"}, "engine edits needs a file"),
        (MutantsConfig, {"engine": "mutmut", "file": "x"}, "engine mutmut takes no file"),
        (MutantsConfig, {"engine": "variants", "version": "1"}, "engine variants has no version"),
        (MutantsConfig, {"engine": "mutmut", "limit": 0}, "greater than or equal to 1"),
        (WriterConfig, {}, "needs one of files, problem_suite"),
        (WriterConfig, {"files": "existing", "problem_suite": "weak"}, "has only one of"),
        (WriterConfig, {"files": []}, "at least 1 item"),
        (ArmConfig, {"name": "a/b", "writer": {"files": "existing"}}, "should match pattern"),
        (ExecutionConfig, {"recheck_share": 1.5}, "less than or equal to 1"),
        (ExecutionConfig, {"baseline_runs": True}, "valid integer"),
        (ExecutionConfig, {"cpu_floor_s": float("inf")}, "finite number"),
        (ExecutionConfig, {"sandbox": None}, "should be 'bwrap'"),
        (ExecutionConfig, {"sandbox": "none"}, "should be 'bwrap'"),
    ],
)
def test_a_mistake_is_refused_with_its_reason(
    model: type[Any], data: dict[str, Any], expected: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(data)
    assert len(messages(caught.value)) == 1
    assert expected in messages(caught.value)[0]


def test_names_of_arms_are_unique() -> None:
    arm = MINIMAL["arms"][0]
    with pytest.raises(ValidationError, match="two arms are named 'upstream'"):
        ExperimentConfig.model_validate(MINIMAL | {"arms": [arm, arm]})


def test_names_of_subjects_are_unique_among_objects_too() -> None:
    subject = SubjectConfig(project="t", targets=["x.py"], name="s")
    with pytest.raises(ValidationError, match="two subjects are named 's'"):
        ExperimentConfig.model_validate(MINIMAL | {"subjects": [subject, subject]})


def test_a_subject_without_any_mutants_is_refused() -> None:
    with pytest.raises(ValidationError, match="no mutants"):
        ExperimentConfig.model_validate({k: v for k, v in MINIMAL.items() if k != "mutants"})


def test_wrong_relations_do_not_hide_wrong_values_nor_the_other_way() -> None:
    subject = {"problems": "p", "functions": "f", "only": 3, "surprise": 1}
    with pytest.raises(ValidationError) as caught:
        ExperimentConfig.model_validate(MINIMAL | {"subjects": [subject], "seed": "x", "arms": []})
    assert [e["loc"] for e in caught.value.errors()] == [
        ("seed",),
        ("subjects", 0, "functions"),
        ("subjects", 0, "only"),
        ("subjects", 0, "surprise"),
        ("arms",),
    ]


def test_a_config_cannot_be_changed_once_made() -> None:
    config = ExperimentConfig.model_validate(MINIMAL)
    with pytest.raises(ValidationError, match="frozen"):
        config.seed = 3
