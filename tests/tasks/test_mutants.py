"""Mutant sets: ids that stay, statuses that are true, diffs that apply, limits that are fair."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from configs.errors import ConfigError
from tasks.mutants import MutantSet, make_mutants, mutant_set_sha256
from tests.tasks.mutant_helpers import (
    SOURCE,
    by_name,
    config,
    edit_set,
    mutmut_set,
    subject,
    subject_of,
)


def ids(mutant_set: MutantSet) -> dict[str, str]:
    return {mutant.name: mutant.mutant_id for mutant in mutant_set.mutants}


def test_ids_are_short_unique_and_the_same_every_time(tmp_path: Path) -> None:
    one, two = (mutmut_set(subject(SOURCE), tmp_path) for _ in range(2))
    assert one == two
    assert len(set(ids(one).values())) == len(one.mutants) > 12
    assert all(len(each) == 14 and each[:2] == "m-" for each in ids(one).values())
    assert one.mutant_set_sha256 == mutant_set_sha256(one.mutants)


GAPS = [index for index, line in enumerate(SOURCE.splitlines()) if line.startswith(("def", "cl"))]
FILLER = st.lists(st.sampled_from(["", "# a comment", "# def first(a, b=1):", ""]), max_size=4)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(fillers=st.lists(FILLER, min_size=len(GAPS), max_size=len(GAPS)))
def test_lines_added_above_functions_change_no_id(fillers: list[list[str]], tmp_path: Path) -> None:
    lines = SOURCE.splitlines()
    for index, filler in reversed(list(zip(GAPS, fillers, strict=True))):
        lines[index:index] = filler
    moved = mutmut_set(subject("\n".join(lines) + "\n"), tmp_path)
    assert ids(moved) == ids(mutmut_set(subject(SOURCE), tmp_path))


def test_a_new_function_and_other_line_ends_change_no_id(tmp_path: Path) -> None:
    plain = ids(mutmut_set(subject(SOURCE), tmp_path))
    longer = SOURCE.replace("class Box", "def new(a, b):\n    return a + b\n\n\nclass Box")
    assert plain.items() <= ids(mutmut_set(subject(longer), tmp_path)).items()
    assert ids(mutmut_set(subject(SOURCE.replace("\n", "\r\n")), tmp_path)) == plain
    assert ids(mutmut_set(subject(b"\xef\xbb\xbf" + SOURCE.encode()), tmp_path)) == plain


def test_the_same_change_in_twin_places_has_two_ids(tmp_path: Path) -> None:
    twins = "def f():\n    return 1\n\n\ndef f():\n    return 1\n"
    made = mutmut_set(subject(twins), tmp_path).mutants
    assert [m.line for m in made] == [2, 6]
    assert made[0].mutant_id != made[1].mutant_id
    rows = [
        {"old": "a + b\n    return", "new": "a - b\n    return"},
        {"old": "b\n\n\nclass", "new": "a\n\n\nclass"},
    ]
    edits = edit_set(subject(SOURCE), tmp_path, rows).mutants
    assert len({m.mutant_id for m in edits}) == 2


def test_an_id_does_not_hang_on_what_else_is_made(tmp_path: Path) -> None:
    every = mutmut_set(subject(SOURCE), tmp_path)
    few = mutmut_set(subject(SOURCE), tmp_path, limit=5)
    assert ids(few).items() <= ids(every).items()
    edit = {"old": "a > b", "new": "a >= b"}
    (same,) = edit_set(subject(SOURCE), tmp_path, [edit]).mutants
    assert same.mutant_id in ids(every).values()


def test_the_same_mutant_of_a_second_engine_is_a_duplicate(tmp_path: Path) -> None:
    edit_set(subject(SOURCE), tmp_path, [{"old": "a > b", "new": "a >= b"}])
    configs = [config("mutmut"), config("edits", file="edits.jsonl"), config("mutmut")]
    made = make_mutants(subject(SOURCE), configs, tmp_path, tmp_path).mutants
    half = (len(made) - 1) // 2
    assert [m.status for m in made[:half]] == ["ok"] * half
    assert [m.status for m in made[half:]] == ["duplicate"] * (half + 1)
    assert len({m.mutant_id for m in made}) == len(made)


def test_a_planted_version_is_never_the_duplicate(tmp_path: Path) -> None:
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "planted.py").write_text(SOURCE.replace("a > b", "a >= b"))
    configs = [config("mutmut", limit=1), config("variants", file="v")]
    made = make_mutants(subject(SOURCE), configs, tmp_path, tmp_path).mutants
    assert [m.status for m in made if m.planted] == ["ok"]
    assert "duplicate" in [m.status for m in made if not m.planted]


def test_the_subjects_python_is_the_one_that_compiles(tmp_path: Path) -> None:
    newer = "type Pair = tuple[int, int]\n\n\ndef f():\n    return 1\n"
    with pytest.raises(ConfigError, match=r"subject demo: target pkg/mod\.py: line 1: "):
        edit_set(subject(newer), tmp_path, [{"old": "return 1", "new": "return 2"}])


def test_a_target_that_python_cannot_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"target pkg/mod\.py: invalid or missing encoding"):
        edit_set(subject(b"x = '\xe9'\n"), tmp_path, [{"old": "x", "new": "y"}])


def test_a_limit_counts_what_can_run_and_draws_by_the_seed(tmp_path: Path) -> None:
    source = SOURCE + "\n\ndef twice():\n    return not not 1\n"
    every = mutmut_set(subject(source), tmp_path)
    draws = [
        make_mutants(subject(source), [config("mutmut", limit=8)], tmp_path, tmp_path, seed=seed)
        for seed in (0, 0, 1)
    ]
    assert draws[0] == draws[1]
    assert ids(draws[0]) != ids(draws[2])
    names = [m.name for m in every.mutants]
    for drawn in draws:
        assert Counter(m.status for m in drawn.mutants)["ok"] == 8
        assert sorted(ids(drawn), key=names.index) == list(ids(drawn))


def test_the_set_knows_its_order_its_engine_and_its_sources(tmp_path: Path) -> None:
    made = mutmut_set(subject(SOURCE), tmp_path)
    assert mutant_set_sha256(made.mutants[::-1]) != made.mutant_set_sha256
    assert mutant_set_sha256(made.mutants[:-1]) != made.mutant_set_sha256
    other = mutmut_set(subject(SOURCE.replace("LIMIT = 3", "LIMIT = 4")), tmp_path)
    assert ids(other) == ids(made)
    assert other.mutant_set_sha256 != made.mutant_set_sha256


def test_mistakes_of_all_engines_come_together(tmp_path: Path) -> None:
    configs = [config("edits", file="none.jsonl"), config("variants"), config("mutmut")]
    with pytest.raises(ConfigError) as caught:
        make_mutants(subject(SOURCE), configs, tmp_path, tmp_path)
    assert len(caught.value.problems) == 2


def test_targets_keep_their_order_and_share_no_id(tmp_path: Path) -> None:
    both = subject_of({"b.py": SOURCE, "a.py": SOURCE})
    made = mutmut_set(both, tmp_path)
    assert list(dict.fromkeys(m.path for m in made.mutants)) == ["b.py", "a.py"]
    assert len({m.mutant_id for m in made.mutants}) == len(made.mutants)
    assert by_name(made)["b.x_first__mutmut_1"].path == "b.py"
