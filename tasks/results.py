"""What running suites brings back: tests, validations, matrix rows; and the job asking for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from tasks.records import ExecutionSettings, Mutant, Outcome, Subject, Suite


@dataclass(frozen=True)
class Test:
    """One collected pytest node of a suite and what its baselines showed.

    `exception` and `message` are of the first baseline run that did not pass.
    """

    __test__ = False

    test_id: str
    suite_id: str
    ordinal: int
    nodeid: str
    kept: bool
    dropped_reason: str
    baseline_outcomes: tuple[Outcome, ...]
    duration_s: float
    cpu_s: float
    executed: tuple[str, ...] = ()
    always_run: bool = False
    uses_hypothesis: bool = False
    exception: str = ""
    message: str = ""


SuiteStatus = Literal[
    "valid",
    "no_tests",
    "syntax_error",
    "collect_error",
    "collect_timeout",
    "collect_crashed",
    "too_many_tests",
    "no_kept_tests",
    "not_exercised",
    "refused",
]


@dataclass(frozen=True)
class Validation:
    """What baselines and controls say of one suite.

    Only `valid` suites are executed; `tests` is filled whenever collection succeeded.
    `import_executed` names target functions that run while the suite is imported and collected,
    `everywhere` those whose mutants every test may notice (these, and what shared fixtures run),
    `modules` what tests import as they run, `swap_refusal` why no mutant's code may be swapped.
    """

    suite_id: str
    status: SuiteStatus
    reason: str = ""
    tests: tuple[Test, ...] = ()
    baseline_s: float = 0.0
    import_executed: tuple[str, ...] = ()
    everywhere: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    swap_refusal: str = ""
    versions: tuple[tuple[str, str], ...] = ()


class Execution(NamedTuple):
    """Outcome of one test (by its ordinal in the suite) on one mutant: one matrix entry."""

    ordinal: int
    outcome: str
    executed: bool
    duration_s: float
    exception: str
    message: str


class Row(NamedTuple):
    """All matrix entries of one mutant, in test order, and how they were obtained."""

    mutant_id: str
    strategy: str
    executions: tuple[Execution, ...]


class Event(NamedTuple):
    """Something out of the ordinary, for the events table."""

    at: float
    kind: str
    detail: str


@dataclass(frozen=True)
class Job:
    """One task: a suite against some mutants; with no validation given, validates first.

    `budget_s`: no further mutant is started once the job has taken that many seconds; rows not
    begun are left out of the result and the driver asks for them again. 0 means no budget.
    """

    subject: Subject
    suite: Suite
    mutants: tuple[Mutant, ...]
    settings: ExecutionSettings
    validation: Validation | None = None
    budget_s: float = 0.0


@dataclass(frozen=True)
class JobResult:
    """What one task brings back; `rows` hold no row that was lost to infrastructure trouble.

    Planted mutants' rows come first, and also of a suite with no kept test: they show which tests
    fail on the correct code and pass on the planted bug. `cpu_s` is of the worker process and of
    all that its sandbox ran and ended for this job, without building environments and starting
    the host.
    """

    validation: Validation | None
    rows: tuple[Row, ...] = ()
    events: tuple[Event, ...] = ()
    cpu_s: float = 0.0
    wall_s: float = 0.0
