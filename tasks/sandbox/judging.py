"""Pure decisions about a suite: which tests may kill, and which tests a mutant needs."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from .rows import Row

Key = tuple[str, int]


@dataclass(frozen=True)
class TestFacts:
    """One test after its baselines and controls; times in seconds.

    `exception` and `message` are of the first baseline run that did not pass.
    """

    __test__ = False

    key: Key
    ordinal: int
    outcomes: tuple[str, ...]
    duration_s: float
    cpu_s: float
    executed: frozenset[str]
    always_run: bool
    uses_hypothesis: bool
    dropped_reason: str = ""
    exception: str = ""
    message: str = ""

    @property
    def kept(self) -> bool:
        """Whether it may kill."""
        return not self.dropped_reason

    @property
    def baseline(self) -> str:
        """Its outcome on the correct code."""
        return self.outcomes[0]


def drop_reason(outcomes: Sequence[str]) -> str:
    """Why a test with these baseline outcomes may not kill; '' when it passed every time."""
    different = set(outcomes)
    if len(different) > 1:
        return "flaky"
    (only,) = different
    if only == "passed":
        return ""
    return only if only in {"skipped", "xfailed", "xpassed"} else "wrong_oracle"


def facts(keys: Sequence[Key], runs: Sequence[Row], work: str) -> tuple[TestFacts, ...]:
    """Tests of a suite from its baseline runs, the last of which was watched."""
    found = []
    for ordinal, key in enumerate(keys):
        results = [run.results.get(ordinal, ("not_collected", 0.0, 0.0, "", "")) for run in runs]
        outcomes = tuple(result[0] for result in results)
        shortfalls = (result[3:] for result in results if result[0] != "passed")
        exception, message = next(shortfalls, ("", ""))
        seen = runs[-1].watched.get(ordinal)
        executed, _, always, hypothesis = seen or ([], [], True, False)
        found.append(
            TestFacts(
                key=key,
                ordinal=ordinal,
                outcomes=outcomes,
                duration_s=max(result[1] for result in results),
                cpu_s=max(result[2] for result in results),
                executed=frozenset(name.removeprefix(f"{work}/") for name in executed),
                always_run=always,
                uses_hypothesis=hypothesis,
                dropped_reason=drop_reason(outcomes),
                exception=exception,
                message=message,
            )
        )
    return tuple(found)


def shared_functions(run: Row, work: str) -> frozenset[str]:
    """Functions that ran in fixtures wider than one test: every test may notice their mutants."""
    names = {name for seen in run.watched.values() for name in seen[1]}
    return frozenset(name.removeprefix(f"{work}/") for name in names)


def covering(
    tests: Sequence[TestFacts], functions: Collection[str], everywhere: Collection[str]
) -> tuple[int, ...]:
    """Ordinals of the tests that may notice a change in these functions.

    All of them when the change is at module level (no functions) or in one that runs at import or
    in a shared fixture (`everywhere`).
    """
    wanted = set(functions)
    if not wanted or wanted & set(everywhere):
        return tuple(test.ordinal for test in tests)
    return tuple(t.ordinal for t in tests if t.always_run or t.executed & wanted)


def sampled(seed: int, suite_id: str, mutant_id: str, share: float) -> bool:
    """Whether a mutant belongs to the random sample; the same answer on every machine."""
    digest = hashlib.sha256(f"{seed}\0{suite_id}\0{mutant_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64
