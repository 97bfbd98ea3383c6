"""One suite from first meeting to kill matrix, as the host carries it out."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Sequence

from . import judging
from .limits import Limits
from .lines import Lines
from .measuring import Measurement
from .rows import Row
from .serving import Spec
from .session import SuiteArgs
from .stations import StationLostError
from .validating import Message, Validator


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
        swapping = self.settings["strategy"] in ("auto", "swap")
        refusal = "" if swapping else "not asked for"
        self.lines = Lines(self.spec, refusal, foreign, self._event)
        self.measurement = Measurement(self.lines, self.sources, self.settings, self._event)
        self.validator = Validator(
            self.measurement, self.sources, job["mutants"], self.settings, self._event
        )
        self._subsets: dict[tuple[int, ...], bool] = {}

    def run(self) -> Iterator[Message]:
        """The whole job."""
        try:
            known = self.job["validation"]
            validation = self.validator.recall(known) if known else self.validator.validate()
            yield {"validation": validation}
            yield from self._drain()
            mutants = self._in_order(validation["status"])
            if not mutants:
                return
            refusal = self.lines.swap_refusal
            if refusal and self.settings["strategy"] in ("auto", "swap"):
                self._event("no_swap", refusal)
            for mutant in mutants:
                over = 0 < self.job["budget_s"] < time.monotonic() - self.started
                if over and not mutant["planted"]:
                    return
                yield from self._mutant(mutant)
                yield from self._drain()
        finally:
            self.lines.close()

    def _in_order(self, status: str) -> list[Message]:
        """Mutants to run: the planted ones first, and nothing else without a test that may kill.

        Tests that fail on the correct code show on the planted bug whether they lock it in.
        """
        planted = [mutant for mutant in self.job["mutants"] if mutant["planted"]]
        if status == "no_kept_tests":
            return planted
        others = [mutant for mutant in self.job["mutants"] if not mutant["planted"]]
        return planted + others if status == "valid" else []

    def _event(self, kind: str, detail: str) -> None:
        self.events.append({"event": {"at": time.time(), "kind": kind, "detail": detail}})

    def _drain(self) -> Iterator[Message]:
        yield from self.events
        self.events.clear()

    def _mutant(self, mutant: Message) -> Iterator[Message]:
        path = mutant["path"]
        functions = self.measurement.functions(path, mutant["source"])
        reaching = judging.covering(self.validator.tests, functions, self.validator.everywhere)
        everything = tuple(test.ordinal for test in self.validator.tests)
        wanted = everything if mutant["planted"] else self._select(reaching, everything)
        try:
            strategy, row = self.measurement.row(
                path, mutant["source"], wanted, whole=mutant["planted"]
            )
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

    def _select(self, reaching: tuple[int, ...], everything: tuple[int, ...]) -> tuple[int, ...]:
        """Tests to run: those that reach the change, where leaving out the rest is sound."""
        reached = set(reaching)
        skipped = [t for t in self.validator.tests if t.ordinal not in reached]
        saved = sum(t.duration_s for t in skipped)
        worthwhile = len(skipped) > _WORTH_TESTS or saved > _WORTH_S
        if self.settings["select"] == "all" or not skipped or not worthwhile:
            return everything
        if reaching not in self._subsets:
            self._subsets[reaching] = self.measurement.same_alone(reaching, self.validator.tests)
            if not self._subsets[reaching]:
                self._event("order_dependent", f"{len(reaching)} tests differ without the others")
        return reaching if self._subsets[reaching] else everything

    def _complete(self, row: Row) -> dict[int, tuple[str, float, float, str, str]]:
        """Give a test that was left out its baseline outcome; a first-kill row stays short."""
        results = dict(row.results)
        if self.settings["matrix"] == "full":
            for test in self.validator.tests:
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
        kept = [t.ordinal for t in self.validator.tests if t.kept and t.ordinal in results]
        if not kept:
            return
        oracle = self.measurement.process(mutant["path"], mutant["source"]).results
        different = [n for n in kept if oracle[n][0] != results[n][0]]
        if not different:
            self._event("rechecked", mutant["mutant_id"])
            return
        again = self.measurement.process(mutant["path"], mutant["source"]).results
        for n in different:
            nodeid = self.validator.tests[n].key[0]
            detail = f"{strategy} {_told(results[n])}, process {_told(oracle[n])}"
            detail = f"{mutant['mutant_id']} {nodeid}: {detail}"
            stable = again[n][0] == oracle[n][0]
            self._event("disagreement" if stable else "unstable", detail)


_WORTH_TESTS = 20
_WORTH_S = 0.05


def _told(result: tuple[str, float, float, str, str]) -> str:
    outcome, _, _, name, message = result
    return f"{outcome} ({name}: {message})" if name else outcome
