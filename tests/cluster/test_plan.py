from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from cluster.environments import environments_of
from cluster.plan import Plan, make_plan
from configs.errors import ConfigError, NotFoundError
from configs.loading import make_config
from tasks.records import ExecutionSettings, Limits

PROBLEMS = {"problems": "green_tests", "only": ["chunk", "slug*"]}


def values(**changed: Any) -> dict[str, Any]:
    return {
        "experiment": "pilot",
        "subjects": [PROBLEMS],
        "mutants": [{"engine": "variants"}],
        "arms": [
            {"name": "reference", "writer": {"problem_suite": "reference"}},
            {"name": "weak", "writer": {"problem_suite": "weak"}},
        ],
    } | changed


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def planned(base: Path, cache: Path, **changed: Any) -> Plan:
    return make_plan(make_config(values(**changed), base), base, cache)


def write_suites(base: Path, *lines: dict[str, Any]) -> dict[str, Any]:
    (base / "suites.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return {"name": "made", "writer": {"files": "suites.jsonl"}}


def test_a_cell_is_a_subject_times_an_arm_times_a_replicate(tmp_path: Path, cache: Path) -> None:
    lines = [
        {"subject": "chunk", "replicate": n, "source": f"def test_{n}():\n    pass\n"}
        for n in range(2)
    ]
    arms = [*values()["arms"], write_suites(tmp_path, *lines)]
    plan = planned(tmp_path, cache, arms=arms, replicates=3)
    names = {cell.cell_id: cell.suite.subject_id for cell in plan.cells}
    short = {cell_id.split("-")[0] + cell_id[cell_id.index("/") :] for cell_id in names}
    assert short == {
        "chunk/reference/0",
        "chunk/weak/0",
        "chunk/made/0",
        "chunk/made/1",
        "slugify/reference/0",
        "slugify/weak/0",
    }
    assert len(names) == len(plan.cells)
    assert set(names.values()) == set(plan.subjects)
    assert all(plan.rows(cell) >= 3 for cell in plan.cells)


def test_the_same_command_goes_on_with_an_experiment_and_any_change_makes_another(
    tmp_path: Path, cache: Path
) -> None:
    line = {"subject": "chunk", "replicate": 0, "source": "def test():\n    pass\n"}
    arms = [write_suites(tmp_path, line)]
    first = planned(tmp_path, cache, arms=arms).experiment_id
    assert first.startswith("pilot-")
    assert planned(tmp_path, cache, arms=arms, store="elsewhere").experiment_id == first
    others = [
        planned(tmp_path, cache, arms=arms, seed=1).experiment_id,
        planned(tmp_path, cache, arms=arms, execution={"memory_mb": 512}).experiment_id,
        planned(tmp_path, cache, arms=arms, mutants=[{"engine": "mutmut"}]).experiment_id,
    ]
    write_suites(tmp_path, line | {"source": "def test():\n    assert True\n"})
    others.append(planned(tmp_path, cache, arms=arms).experiment_id)
    assert len({first, *others}) == 5


def test_a_subject_named_twice_is_refused(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(ConfigError, match="chunk is named twice"):
        planned(tmp_path, cache, subjects=[PROBLEMS, PROBLEMS])


def test_an_experiment_without_a_cell_is_refused(tmp_path: Path, cache: Path) -> None:
    arms = [write_suites(tmp_path, {"subject": "nobody", "replicate": 0, "source": "x"})]
    with pytest.raises(NotFoundError, match="no arm has a suite"):
        planned(tmp_path, cache, arms=arms)


def test_what_is_named_and_not_used_is_noted(tmp_path: Path, cache: Path) -> None:
    arms = [*values()["arms"], write_suites(tmp_path, {"subject": "no", "source": "x"})]
    notes = planned(tmp_path, cache, arms=arms).notes
    assert any("made: has a suite for none of the 2 subjects" in note for note in notes)
    assert any("no subject 'no'" in note for note in notes)


def test_every_setting_of_a_config_reaches_the_tasks(tmp_path: Path) -> None:
    wanted: dict[str, Any] = {
        "matrix": "first_kill",
        "strategy": "process",
        "select": "all",
        "isolation": "test",
        "baseline_runs": 5,
        "recheck_share": 0.5,
    }
    places = {
        "variables": {"B": "2", "A": "1"},
        "environments": [{"name": "east", "variables": {"TZ": "Asia/Tokyo", "B": "3"}}],
    }
    limits: dict[str, Any] = {
        "cpu_multiplier": 2.0,
        "cpu_floor_s": 1.5,
        "wall_floor_s": 2.5,
        "confirm_factor": 4.0,
        "collect_s": 5.5,
        "memory_mb": 123,
        "file_mb": 7,
        "processes": 8,
        "open_files": 99,
    }
    given = values(execution=wanted | places | limits, limits={"tests": 11}, seed=12)
    (settings,) = environments_of(make_config(given, tmp_path))
    wanted["environment"] = "east"
    wanted["variables"] = (("A", "1"), ("B", "3"), ("TZ", "Asia/Tokyo"))
    expected = ExecutionSettings(**wanted, seed=12, limits=Limits(**limits, tests=11))
    assert settings == expected
    for record, default in ((settings, ExecutionSettings()), (settings.limits, Limits())):
        for field in fields(record):
            if field.name == "sandbox":  # there is only one
                continue
            assert getattr(record, field.name) != getattr(default, field.name), field.name
