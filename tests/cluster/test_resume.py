from __future__ import annotations

import json

from cluster.keys import cell_key, committed_key, matrix_key, shard_key, validated_key
from cluster.resume import Layout, Resume, Tally, layout_fact
from storage.units import Index
from tasks.results import Test, Validation


def made_validation() -> Validation:
    test = Test(
        "s:00000",
        "s",
        0,
        "t.py::t[\udcff/\n]",
        True,
        "",
        ("passed", "passed"),
        0.25,
        0.125,
        ("a.py::f",),
        True,
    )
    return Validation(
        "s",
        "valid",
        "",
        (test,),
        0.25,
        ("a.py::g",),
        ("a.py::g",),
        ("json",),
        (("python", "3.11"),),
    )


def test_a_layout_comes_back_from_the_index_as_it_was() -> None:
    layout = Layout(made_validation(), ((0, 2), (1,)))
    fact = json.loads(json.dumps(layout_fact(layout, Tally(cpu_s=1.5))))
    key = validated_key("s/a/0", "utc")
    resume = Resume(Index(done=frozenset({key}), facts={key: fact}))
    assert resume.layout("s/a/0", "utc") == layout
    assert resume.tally([key]) == Tally(cpu_s=1.5)
    assert resume.layout("s/a/1", "utc") is None
    assert resume.layout("s/a/0", "other") is None


def test_tallies_add_up_over_the_steps_asked_for() -> None:
    facts = {
        "cell:c:shard:1/2": {"tally": {"cpu_s": 1.0, "wall_s": 2.0, "failed": 1}},
        "cell:c:shard:2/2": {"tally": {"cpu_s": 3.0, "disagreements": 2}},
        "cell:d": {"tally": {"disagreements": 5}},
    }
    resume = Resume(Index(facts=facts))
    keys = ["cell:c:shard:1/2", "cell:c:shard:2/2", "cell:c:shard:3/2"]
    assert resume.tally(keys) == Tally(4.0, 2.0, 1, 2)
    assert resume.disagreements() == 7


def test_a_missing_cell_that_was_finished_later_is_not_missing() -> None:
    facts = {
        "cell:s/a/0:missing": {"reason": "node lost"},
        "cell:s/a/1:missing": {"reason": "out of memory"},
    }
    resume = Resume(Index(done=frozenset({"cell:s/a/0"}), facts=facts))
    assert resume.missing() == {"s/a/1": "out of memory"}


def test_only_whole_cells_count_as_done() -> None:
    place = ("s/a/1", "default")
    keys = {"subject:s", cell_key("s/a/0"), matrix_key(*place), validated_key(*place)}
    keys |= {shard_key(*place, 1, 2), "cell:s/a/1:missing"}
    assert Resume(Index(done=frozenset(keys))).cells_done() == 1


def test_the_newest_commit_is_found() -> None:
    times = ["2026-11-30T09:00:00", "2026-11-30T10:00:00"]
    facts = {committed_key(at): {} for at in reversed(times)}
    assert Resume(Index(facts=facts)).last_commit() == times[1]
    assert Resume(Index()).last_commit() == ""
