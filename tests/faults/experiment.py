"""The experiment of a night: many small suites, a few long ones, a few with endless mutants."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.functions import write_experiment
from cluster.plan import make_plan
from configs.loading import load_config

MUTANTS = 10
# A suite of this kind sleeps more than it computes, so that tasks are long where CPUs are few.
LONG_TESTS, LONG_PAUSE_S = 40, 0.05

# Long suites come first: theirs are the tasks that faults meet. What a loaded machine cannot change
# is CPU time, so limits of wall time are far off.
_CONFIG = """\
experiment: nights
store: ./store
seed: 1
replicates: {replicates}
subjects:
  - functions: functions.jsonl
    mutants: [{{engine: mutmut, limit: {mutants}}}]
arms:
  - name: nights
    writer: {{files: suites.jsonl}}
execution: {{wall_floor_s: 60}}
"""

_LONG = '''\
def solution(values):
    """Largest difference between neighbours, plus {number}; {number} for fewer than two values."""
    largest = 0
    for left, right in zip(values, values[1:]):
        gap = right - left if right > left else left - right
        if gap > largest:
            largest = gap
    return largest + {number}
'''

_LONG_SUITE = """\
# Suite {replicate}.
import time

import pytest

from solution import solution


@pytest.mark.parametrize("size", range({tests}))
def test_neighbours(size):
    time.sleep({pause})
    values = [size * (-1) ** place for place in range(size)]
    assert solution(values) == {number} + (2 * size if size > 1 else 0)
"""

_ENDLESS = '''\
def solution(count):
    """Digits of a count of steps down to nothing, plus {number}."""
    steps = 0
    while count > 0:
        count = count - 1
        steps = steps + 1
    return steps + {number}
'''

_ENDLESS_SUITE = """\
# Suite {replicate}.
from solution import solution


def test_none():
    assert solution(0) == {number}


def test_three():
    assert solution(3) == 3 + {number}
"""


def write_night(folder: Path, functions: int, replicates: int, long: int, endless: int) -> Path:
    """Write the config and what it names; the config's path. A suite a function and replicate."""
    write_experiment(folder, functions, replicates)
    config = folder / "nights.yaml"
    config.write_text(_CONFIG.format(replicates=replicates, mutants=MUTANTS))
    subjects, suites = [], []
    kinds = (("long", long, _LONG, _LONG_SUITE), ("endless", endless, _ENDLESS, _ENDLESS_SUITE))
    for kind, count, source, suite in kinds:
        for number in range(count):
            name = f"{kind}_{number}"
            subjects.append({"name": name, "source": source.format(number=number)})
            for replicate in range(replicates):
                text = suite.format(
                    replicate=replicate, number=number, tests=LONG_TESTS, pause=LONG_PAUSE_S
                )
                suites.append({"subject": name, "replicate": replicate, "source": text})
    for file, lines in (("functions.jsonl", subjects), ("suites.jsonl", suites)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / file).write_text(text + (folder / file).read_text())
    return config


def planned(config: Path, cache: Path) -> str:
    """Id that the experiment gets, wherever its results go."""
    return make_plan(load_config(config), config.parent, cache).experiment_id
