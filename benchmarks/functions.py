"""Makes an experiment of many small suites: functions of one kind, 8 tests and 20 mutants each."""

from __future__ import annotations

import json
from pathlib import Path

TESTS, MUTANTS = 8, 20

_FUNCTION = '''\
def solution(values, limit={limit}):
    """Sum of the values in windows of {width}, each window's sum capped at `limit`."""
    if limit < 0:
        raise ValueError("limit must not be negative")
    total = {start}
    for begin in range(0, len(values), {width}):
        window = values[begin : begin + {width}]
        part = 0
        for value in window:
            if value > {skip}:
                part += value - {skip}
            elif value < 0:
                part -= 1
        if part > limit:
            part = limit
        total = total + part
    return total
'''

_SUITE = """\
# Suite {replicate}.
import pytest

from solution import solution


def test_nothing():
    assert solution([]) == {start}


def test_small_values_count_for_nothing():
    assert solution([1, {skip}, {replicate} % 2]) == {start}


def test_large_values():
    assert solution([{skip} + 1, {skip} + 2]) == {start} + 3


def test_negative_values():
    assert solution([-1, -2 - {replicate}]) == {start} - 2


def test_cap():
    assert solution([10 * {limit} + {skip}]) == {start} + {limit}


@pytest.mark.parametrize("count", [1, 2])
def test_windows(count):
    window = [{skip} + 1] + [0] * ({width} - 1)
    assert solution(window * count, 1) == {start} + count


def test_refuses_a_negative_limit():
    with pytest.raises(ValueError, match="negative"):
        solution([1], -1)
"""

_CONFIG = """\
experiment: bench_functions
store: ./store
seed: 1
replicates: {replicates}
subjects:
  - functions: functions.jsonl
    mutants: [{{engine: mutmut, limit: {mutants}}}]
arms:
  - name: bench
    writer: {{files: suites.jsonl}}
"""


def write_experiment(folder: Path, subjects: int, replicates: int) -> Path:
    """Write the config and what it names into `folder`; the config's path.

    Every function and every suite has a text of its own, so that nothing can be done once for all.
    """
    functions, suites = [], []
    for number in range(subjects):
        values = {"limit": 50 + number, "width": 3 + number % 4, "skip": 2, "start": number}
        name = f"window_sum_{number}"
        functions.append({"name": name, "source": _FUNCTION.format(**values)})
        for replicate in range(replicates):
            text = _SUITE.format(replicate=replicate, **values)
            suites.append({"subject": name, "replicate": replicate, "source": text})
    for file, lines in (("functions.jsonl", functions), ("suites.jsonl", suites)):
        (folder / file).write_text("".join(json.dumps(line) + "\n" for line in lines))
    config = folder / "bench_functions.yaml"
    config.write_text(_CONFIG.format(replicates=replicates, mutants=MUTANTS))
    return config
