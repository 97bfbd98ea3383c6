"""One suite from first meeting to kill matrix, as the host carries it out."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from . import controls, functions, judging, views
from .judging import Key, TestFacts
from .limits import Limits
from .lines import Lines
from .outcomes import KILLING
from .rows import Row
from .serving import Spec
from .session import SuiteArgs
from .stations import StationLostError

Message = dict[str, Any]


class SuiteRun:
    """Yields messages: one `validation`, then `row`, `lost` and `event` as they come."""

    def __init__(self, job: Message, foreign: Sequence[socket.socket]) -> None:
        self.job = job
        self.settings: Message = job["settings"]
        self.started = time.monotonic()
        self.sources = {p: t.encode("latin-1") for p, t in job["originals"].items()}
        self.spec = Spec(
            tree_id=job["tree_id"],
            bytecode_id=job["bytecode_id"],
            files={p: t.encode("latin-1") for p, t in job["files"].items()},
            args=SuiteArgs(**{k: tuple(v) for k, v in job["args"].items()}),
            limits=Limits(**self.settings["limits"]),
            targets=tuple(self.sources),
        )
        self.events: list[Message] = []
        self.lines = Lines(self.spec, self.settings, foreign, self._event)
        self.tests: tuple[TestFacts, ...] = ()
        self.everywhere: frozenset[str] = frozenset()
        self._subsets: dict[tuple[int, ...], bool] = {}

    def run(self) -> Iterator[Message]:
        """The whole job."""
        try:
            validation = self._recall() if self.job["validation"] else self._validate()
            yield {"validation": validation}
            yield from self._drain()
            if validation["status"] != "valid":
                return
            for mutant in self.job["mutants"]:
                if 0 < self.job["budget_s"] < time.monotonic() - self.started:
                    return
                yield from self._mutant(mutant)
                yield from self._drain()
        finally:
            self.lines.close()

    def _event(self, kind: str, detail: str) -> None:
        self.events.append({"event": {"at": time.time(), "kind": kind, "detail": detail}})

    def _drain(self) -> Iterator[Message]:
        yield from self.events
        self.events.clear()

    # -- validation

    def _validate(self) -> Message:
        runs = self.settings["baseline_runs"]
        first = self.lines.meet(watch=runs == 1)
        status, reason = self._met(first)
        if status:
            return self._verdict(status, reason)
        keys: list[Key] = [(nodeid, count) for nodeid, count in first.collected]
        self.lines.learn(keys)
        rows = [first]
        everything = range(len(keys))
        for run in range(1, runs):
            rows.append(self.lines.baseline(everything, watch=run == runs - 1))
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
        if len(first.collected) > self.spec.limits.tests:
            found, most = len(first.collected), self.spec.limits.tests
            return "too_many_tests", f"{found} tests, and the limit is {most}"
        return "", ""

    def _take_notes(self, watched: Row, tests: Sequence[TestFacts]) -> None:
        ran = watched.ran
        names = [name.removeprefix(f"{views.WORK}/") for name in ran or ()]
        if ran is None:
            self._event("unwatched", "a profiler was in the way: every mutant runs every test")
            names = self._all_functions()
        if watched.reads_source:
            self.lines.refuse_swap("the suite reads the target's text while it is collected")
        self.everywhere = frozenset(names) | judging.shared_functions(watched, views.WORK)
        self.lines.prepare(tests, names, watched.modules)

    def _all_functions(self) -> list[str]:
        return [
            f"{path}::{function.qualname}"
            for path, source in self.sources.items()
            for function in functions.target_functions(source)
        ]

    def _controls(self) -> Message:
        """The identity mutant drops tests, the canary must be killed; each on every path in use."""
        for line in self.lines.in_use(self.job["mutants"]):
            failing = self.lines.failing_identity(line, self.tests)
            self.tests = tuple(
                replace(t, dropped_reason="fails_control") if t.ordinal in failing else t
                for t in self.tests
            )
        self.lines.prepare(self.tests, list(self.lines.ran), self.lines.modules)
        kept = [test.ordinal for test in self.tests if test.kept]
        if not kept:
            reasons = sorted({test.dropped_reason for test in self.tests})
            return self._verdict("no_kept_tests", "every test is " + " or ".join(reasons))
        for line in self.lines.in_use(self.job["mutants"]):
            outcomes = self.lines.canary(line, kept)
            if not any(outcome in KILLING for outcome in outcomes.values()):
                detail = f"no kept test notices ({line}) that every target function raises"
                return self._verdict("not_exercised", detail)
        return self._verdict("valid", "")

    def _verdict(self, status: str, reason: str) -> Message:
        return {
            "status": status,
            "reason": reason,
            "tests": [_as_message(test) for test in self.tests],
            "everywhere": sorted(self.everywhere),
            "ran": sorted(self.lines.ran),
            "modules": list(self.lines.modules),
        }

    def _recall(self) -> Message:
        """Take up a validation made earlier, and check that this process measures the same."""
        known: Message = self.job["validation"]
        self.tests = tuple(_from_message(test) for test in known["tests"])
        self.everywhere = frozenset(known["everywhere"])
        self.lines.learn([test.key for test in self.tests])
        self.lines.prepare(self.tests, known["ran"], known["modules"])
        for line in self.lines.in_use(self.job["mutants"]):
            if self.lines.failing_identity(line, self.tests):
                raise RuntimeError(f"the identity control ({line}) fails on this node")
        return known

    # -- one mutant

    def _mutant(self, mutant: Message) -> Iterator[Message]:
        path, source = mutant["path"], mutant["source"].encode("latin-1")
        names = controls.mutated_functions(self.sources[path], source)
        functions = [f"{path}::{name}" for name in names]
        reaching = judging.covering(self.tests, functions, self.everywhere)
        wanted = self._select(reaching)
        try:
            strategy, row = self.lines.row({path: mutant["source"]}, wanted)
        except StationLostError as error:
            self._event("lost_row", f"{mutant['mutant_id']}: {error}")
            yield {"lost": mutant["mutant_id"]}
            return
        for kind, detail in row.notes:
            self._event(kind, f"{mutant['mutant_id']}: {detail}")
        results = self._complete(row)
        self._recheck(mutant, strategy, results)
        reached = set(reaching)
        yield {
            "row": {
                "mutant_id": mutant["mutant_id"],
                "strategy": strategy,
                "executions": [
                    [n, outcome, n in reached, round(wall, 6), name, message]
                    for n, (outcome, wall, _, name, message) in sorted(results.items())
                ],
            }
        }

    def _select(self, reaching: tuple[int, ...]) -> tuple[int, ...]:
        """Tests to run: those that reach the change, where leaving out the rest is sound."""
        everything = tuple(test.ordinal for test in self.tests)
        skipped = [t for t in self.tests if t.ordinal not in set(reaching)]
        saved = sum(t.duration_s for t in skipped)
        worthwhile = len(skipped) > _WORTH_TESTS or saved > _WORTH_S
        if self.settings["select"] == "all" or not skipped or not worthwhile:
            return everything
        if reaching not in self._subsets:
            self._subsets[reaching] = self.lines.same_alone(reaching, self.tests)
            if not self._subsets[reaching]:
                self._event("order_dependent", f"{len(reaching)} tests differ without the others")
        return reaching if self._subsets[reaching] else everything

    def _complete(self, row: Row) -> dict[int, tuple[str, float, float, str, str]]:
        """Give a test that was left out its baseline outcome; a first-kill row stays short."""
        results = dict(row.results)
        if self.settings["matrix"] == "full":
            for test in self.tests:
                results.setdefault(test.ordinal, (test.baseline, 0.0, 0.0, "", ""))
        return results

    def _recheck(
        self, mutant: Message, strategy: str, results: dict[int, tuple[str, float, float, str, str]]
    ) -> None:
        """Run a sampled mutant again in a new process; a disagreement fails the self-check."""
        share = self.settings["recheck_share"]
        seed, suite_id = self.settings["seed"], self.job["suite_id"]
        if strategy == "process" or not judging.sampled(seed, suite_id, mutant["mutant_id"], share):
            return
        kept = [t.ordinal for t in self.tests if t.kept and t.ordinal in results]
        files = {mutant["path"]: mutant["source"]}
        oracle = self.lines.process(files).results
        different = [n for n in kept if oracle[n][0] != results[n][0]]
        if not different:
            self._event("rechecked", mutant["mutant_id"])
            return
        again = self.lines.process(files).results
        for n in different:
            nodeid = self.tests[n].key[0]
            detail = f"{strategy} {_told(results[n])}, process {_told(oracle[n])}"
            detail = f"{mutant['mutant_id']} {nodeid}: {detail}"
            stable = again[n][0] == oracle[n][0]
            self._event("disagreement" if stable else "unstable", detail)


_SYNTAX = frozenset({"SyntaxError", "IndentationError", "TabError"})
_WORTH_TESTS = 20
_WORTH_S = 0.05


def _told(result: tuple[str, float, float, str, str]) -> str:
    outcome, _, _, name, message = result
    return f"{outcome} ({name}: {message})" if name else outcome


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
