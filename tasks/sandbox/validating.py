"""Validation of a suite: baselines, controls, and the verdict whether it can be measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from . import functions, judging, views
from .judging import Key, TestFacts
from .measuring import Measurement
from .rows import Row

Message = dict[str, Any]
_READS = "the suite reads the target's text while it is collected"
_SYNTAX = frozenset({"SyntaxError", "IndentationError", "TabError"})


class Validator:
    """Validates one suite, or takes up a validation made earlier.

    Afterwards `tests` says who may kill, and `everywhere` names the functions whose mutants every
    test may notice.
    """

    def __init__(
        self,
        measurement: Measurement,
        sources: dict[str, bytes],
        mutants: Sequence[Message],
        settings: Message,
        event: Callable[[str, str], None],
    ) -> None:
        self._measurement = measurement
        self._sources = sources
        self._mutants = mutants
        self._baseline_runs: int = settings["baseline_runs"]
        self._most_tests: int = settings["limits"]["tests"]
        self._event = event
        self.tests: tuple[TestFacts, ...] = ()
        self.everywhere: frozenset[str] = frozenset()

    def validate(self) -> Message:
        """Baselines and controls; {"status", "reason", "tests", ...} as `recall` takes it."""
        runs = self._baseline_runs
        first = self._measurement.meet(watch=runs == 1)
        status, reason = self._met(first)
        if status:
            return self._verdict(status, reason)
        keys: list[Key] = [(nodeid, count) for nodeid, count in first.collected]
        self._measurement.lines.keys = keys
        rows = [first]
        everything = range(len(keys))
        for run in range(1, runs):
            rows.append(self._measurement.baseline(everything, watch=run == runs - 1))
        self.tests = judging.facts(keys, rows, views.WORK)
        self._take_notes(rows[-1], self.tests)
        return self._controls()

    def _met(self, first: Row) -> tuple[str, str]:
        """A status when the suite cannot be measured at all."""
        if first.refusal and not first.collect_errors:
            return "refused", first.refusal
        if first.collecting is not None:
            outcome, name, message = first.collecting
            kind = "collect_timeout" if outcome == "timeout" else "collect_crashed"
            return kind, f"{name}: {message}"
        if first.collect_errors and not first.collected:
            path, name, message = first.collect_errors[0]
            kind = "syntax_error" if name in _SYNTAX else "collect_error"
            return kind, f"{path}: {name}: {message}"
        for path, name, message in first.collect_errors:
            self._event("collect_error", f"{path}: {name}: {message}")
        if not first.collected:
            return "no_tests", "pytest collected nothing"
        if len(first.collected) > self._most_tests:
            found, most = len(first.collected), self._most_tests
            return "too_many_tests", f"{found} tests, and the limit is {most}"
        return "", ""

    def _take_notes(self, watched: Row, tests: Sequence[TestFacts]) -> None:
        ran = [name.removeprefix(f"{views.WORK}/") for name in watched.ran or ()]
        everywhere = ran
        if watched.ran is None:
            self._event("unwatched", "a profiler was in the way: every mutant runs every test")
            everywhere = self._all_functions()
        if watched.reads_source:
            self._measurement.lines.close_swap(_READS)
        self.everywhere = frozenset(everywhere) | judging.shared_functions(watched, views.WORK)
        self._measurement.prepare(tests, ran, watched.modules)

    def _all_functions(self) -> list[str]:
        return [
            f"{path}::{function.qualname}"
            for path, source in self._sources.items()
            for function in functions.target_functions(source)
        ]

    def _controls(self) -> Message:
        """The identity mutant drops tests, the canary must be killed; each on every path in use."""
        some = any(test.kept for test in self.tests)
        for line in self._measurement.lines_for(self._mutants) if some else ():
            failing = self._measurement.failing_identity(line, self.tests)
            self.tests = tuple(
                replace(t, dropped_reason="fails_control") if t.ordinal in failing else t
                for t in self.tests
            )
        kept = [test.ordinal for test in self.tests if test.kept]
        if not kept:
            reasons = sorted({test.dropped_reason for test in self.tests})
            return self._verdict("no_kept_tests", "every test is " + " or ".join(reasons))
        self._measurement.keep(kept)
        for line in self._measurement.lines_for(self._mutants):
            if not self._measurement.canary_killed(line, kept):
                detail = f"no kept test notices ({line}) that every target function raises"
                return self._verdict("not_exercised", detail)
        return self._verdict("valid", "")

    def _verdict(self, status: str, reason: str) -> Message:
        return {
            "status": status,
            "reason": reason,
            "tests": [_as_message(test) for test in self.tests],
            "everywhere": sorted(self.everywhere),
            "ran": sorted(self._measurement.ran),
            "modules": list(self._measurement.lines.modules),
            "swap_refusal": self._measurement.lines.swap_refusal,
        }

    def recall(self, known: Message) -> Message:
        """Take up a validation made earlier, and check that this process measures the same."""
        if known["swap_refusal"]:
            self._measurement.lines.close_swap(known["swap_refusal"])
        self.tests = tuple(_from_message(test) for test in known["tests"])
        self.everywhere = frozenset(known["everywhere"])
        self._measurement.lines.keys = [test.key for test in self.tests]
        self._measurement.prepare(self.tests, known["ran"], known["modules"])
        self._measurement.keep([test.ordinal for test in self.tests if test.kept])
        for line in self._measurement.lines_for(self._mutants):
            if self._measurement.failing_identity(line, self.tests):
                raise RuntimeError(f"the identity control ({line}) fails on this node")
        return known


def _as_message(test: TestFacts) -> Message:
    fields = dict(vars(test))
    return fields | {"executed": sorted(test.executed)}


def _from_message(fields: Message) -> TestFacts:
    nodeid, count = fields["key"]
    changed = {
        "key": (nodeid, count),
        "outcomes": tuple(fields["outcomes"]),
        "executed": frozenset(fields["executed"]),
    }
    return TestFacts(**(fields | changed))
