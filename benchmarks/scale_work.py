"""Makes the experiment of the scale test: small and large subjects, suites of very unequal sizes.

A suite's first line says how large it is and how long its tests take; `execute` reads that and
brings what a worker would, with the seconds it would take.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cluster.packing import PackedMutant
from cluster.ray_tasks import Order
from tasks.records import Subject, sha256
from tasks.results import Execution, JobResult, Row, Test, Validation

# Beside a row's tests; a suite's start, in seconds.
ROW_S, SETUP_S = 0.012, 0.1
# Mutants whose tests run into their time limits, and how long that takes with its confirmation.
HANGING, HANG_S = 0.02, 2.0
EXECUTED = 0.7


@dataclass(frozen=True)
class Kind:
    """Subjects of one size. `tests` and `row_s` (seconds a mutant) are means over suites.

    Both are drawn from log-normal distributions with the given sigma: most suites are small.
    """

    name: str
    subjects: int
    mutants: int
    tests: float
    row_s: float
    sigma: float

    def suites(self, executions: float) -> int:
        """Suites that come to about so many executions."""
        return max(1, round(executions / (self.mutants * self.tests)))


SMALL = Kind("small", subjects=100, mutants=20, tests=8, row_s=0.02, sigma=0.6)
LARGE = Kind("large", subjects=20, mutants=200, tests=60, row_s=1.0, sigma=0.7)

_FUNCTION = '''\
def solution(values, limit={number}):
    """Function {number} of its kind."""
    total = limit
{lines}
    return total
'''

_SUITE = (
    """\
# {told}
from solution import solution


def test_first_value():
    assert solution([1, 2, 3], {replicate}) == 6
"""
    + "\n\ndef test_more_of_it():\n    assert solution([3, 2, 1]) != 5\n" * 10
)

_CONFIG = """\
experiment: scale
store: {store}
seed: 1
replicates: {replicates}
subjects:
  - functions: small.jsonl
    mutants: [{{engine: edits, file: small.edits.jsonl}}]
  - functions: large.jsonl
    mutants: [{{engine: edits, file: large.edits.jsonl}}]
arms:
  - name: written
    writer: {{files: suites.jsonl}}
"""


def write_experiment(
    folder: Path, store: str, executions: int, small_share: float, pace: float
) -> Path:
    """Write a config of about so many executions into `folder`; `pace` multiplies all durations.

    `small_share` of the executions are of small suites.
    """
    draw = random.Random(0)
    shares = {SMALL: small_share, LARGE: 1 - small_share}
    with (folder / "suites.jsonl").open("w") as suites:
        most = 1
        for kind, share in shares.items():
            count = kind.suites(executions * share) if share else 0
            subjects = min(kind.subjects, max(1, count))
            (folder / f"{kind.name}.jsonl").write_text("".join(_functions(kind, subjects)))
            (folder / f"{kind.name}.edits.jsonl").write_text("".join(_edits(kind)))
            for number in range(count):
                most = max(most, number // subjects + 1)
                line = _suite(kind, number % subjects, number // subjects, pace, draw)
                suites.write(json.dumps(line) + "\n")
    config = folder / "scale.yaml"
    config.write_text(_CONFIG.format(store=store, replicates=most))
    return config


def _functions(kind: Kind, count: int) -> Iterator[str]:
    lines = "\n".join(f"    total += values[{n}] * {n + 2}" for n in range(kind.mutants))
    for number in range(count):
        source = _FUNCTION.format(number=number, lines=lines)
        yield json.dumps({"name": f"{kind.name}_{number}", "source": source}) + "\n"


def _edits(kind: Kind) -> Iterator[str]:
    for n in range(kind.mutants):
        what = {"id": f"m{n}", "file": "solution.py", "old": f"[{n}] *", "new": f"[{n}] +"}
        yield json.dumps(what) + "\n"


def _suite(
    kind: Kind, subject: int, replicate: int, pace: float, draw: random.Random
) -> dict[str, Any]:
    def drawn(mean: float) -> float:
        return mean * draw.lognormvariate(-(kind.sigma**2) / 2, kind.sigma)

    tests = max(1, round(drawn(kind.tests)))
    told = {"tests": tests, "row_s": round(pace * drawn(kind.row_s), 4), "pace": pace}
    source = _SUITE.format(told=json.dumps(told), replicate=replicate)
    return {"subject": f"{kind.name}_{subject}", "replicate": replicate, "source": source}


def execute(
    subject: Subject,
    mutants: tuple[PackedMutant, ...],
    validation: Validation | None,
    order: Order,
) -> tuple[float, JobResult]:
    """Seconds and result of one task, as `cluster.ray_tasks.carry_out` takes and brings them."""
    text = order.suite.files[0].data.split(b"\n", 1)[0]
    told = json.loads(text.removeprefix(b"# "))
    tests, row_s, pace = told["tests"], told["row_s"], told["pace"]
    # The collection and a control, and without a validation two baselines and another control.
    spent = pace * SETUP_S + row_s * (4 if validation is None else 1)
    rows = []
    for position in order.chosen:
        if spent >= order.budget_s > 0:
            break
        row, seconds = _row(order.suite.suite_id, mutants[position].mutant.mutant_id, tests, row_s)
        rows.append(row)
        spent += seconds + pace * ROW_S
    fresh = _validation(order.suite.suite_id, tests, row_s) if validation is None else None
    return spent, JobResult(fresh, tuple(rows), (), spent, spent)


def _row(suite_id: str, mutant_id: str, tests: int, row_s: float) -> tuple[Row, float]:
    """The same for the same suite and mutant, wherever and whenever it is asked for."""
    draw = random.Random(f"{suite_id} {mutant_id}")
    mean = row_s / tests / EXECUTED
    hangs = draw.randrange(tests) if draw.random() < HANGING else -1
    entries = []
    for ordinal in range(tests):
        value = draw.random()
        if ordinal == hangs:
            entries.append(Execution(ordinal, "timeout", True, HANG_S, "", "CPU time"))
        elif value > EXECUTED:
            entries.append(Execution(ordinal, "passed", False, 0.0, "", ""))
        elif value > 0.15:
            entries.append(Execution(ordinal, "passed", True, 2 * mean * value, "", ""))
        else:
            message = f"assert {int(value * 1e4)} == {ordinal}"
            entries.append(
                Execution(ordinal, "failed", True, 2 * mean * value, "AssertionError", message)
            )
    return Row(mutant_id, "swap", tuple(entries)), sum(entry.duration_s for entry in entries)


def _validation(suite_id: str, tests: int, row_s: float) -> Validation:
    made = tuple(
        Test(
            test_id=f"{suite_id}:{ordinal:05d}",
            suite_id=suite_id,
            ordinal=ordinal,
            nodeid=f"test_solution.py::test_more_of_it[{sha256(str(ordinal).encode())[:8]}]",
            kept=True,
            dropped_reason="",
            baseline_outcomes=("passed", "passed"),
            duration_s=row_s / tests,
            cpu_s=row_s / tests,
            executed=("solution",),
        )
        for ordinal in range(tests)
    )
    return Validation(suite_id, "valid", "", made, row_s, versions=(("python", "3.11.7"),))
