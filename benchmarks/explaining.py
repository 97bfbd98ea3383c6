"""Owns why two ways of running the same mutants may rightly differ; anything else is unexplained.

An explanation is believed only with its evidence: a second run that agrees, a duration above the
limit, or what mutmut itself recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.matrices import Matrix
from benchmarks.mutmut_run import MutmutResult
from benchmarks.plain_pytest import Key, Result, Row
from tasks.records import ExecutionSettings, Mutant

# Long enough that a test which ends at all has ended, on a machine that others use too.
LONG_S = 120.0
_AGREE = {
    "killed": "killed",
    "survived": "survived",
    "no tests": "not_covered",
    "timeout": "timeout",
    "segfault": "timeout",
}


@dataclass(frozen=True)
class Disagreement:
    """One place where two ways differ; `reason` is empty when nothing explains it."""

    where: str
    what: str
    reason: str
    diff: str = ""


def compare_cells(
    matrix: Matrix, plain: dict[str, Row], mutants: dict[str, Mutant], again: Callable[[str], Row]
) -> tuple[int, list[Disagreement]]:
    """(cells compared, disagreements) of the engine's rows with plain pytest's.

    `again` runs a mutant under plain pytest once more, with much patience.
    """
    cells, found = 0, []
    for mutant_id, row in plain.items():
        ours = matrix.rows[mutant_id]
        cells += len(row)
        differing = [key for key in row if key not in ours or ours[key].outcome != row[key].outcome]
        second = again(mutant_id) if differing else {}
        for key in differing:
            entry = ours.get(key)
            outcome = entry.outcome if entry else "no such test"
            what = f"{outcome} here, {row[key].outcome} in plain pytest"
            if entry and entry.exception:
                what += f" ({entry.exception}: {entry.message})"
            reason = _why_cells_differ(matrix, key, outcome, row[key], second[key])
            name = mutants[mutant_id].name
            found.append(Disagreement(f"{name} {key[0]}", what, reason, mutants[mutant_id].diff))
    return cells, found


def _why_cells_differ(matrix: Matrix, key: Key, outcome: str, first: Result, second: Result) -> str:
    if second.outcome == outcome:
        return f"plain pytest is not stable: {first.outcome}, then {second.outcome}"
    limit = _limit_s(matrix, key)
    ends = first.outcome == second.outcome and min(first.seconds, second.seconds) > limit
    if outcome == "timeout" and ends:
        return f"ends, but only after {second.seconds:.1f} s; the limit is {limit:.2f} s"
    return ""


def _limit_s(matrix: Matrix, key: Key) -> float:
    """CPU seconds that the engine gives a test."""
    limits = ExecutionSettings().limits
    return max(limits.cpu_floor_s, limits.cpu_multiplier * matrix.tests[key].cpu_s)


def compare_verdicts(
    matrix: Matrix, theirs: MutmutResult, mutants: dict[str, Mutant], again: Callable[[str], Row]
) -> tuple[int, list[Disagreement]]:
    """(mutants compared, disagreements) of killgrid's verdicts with what `mutmut run` says.

    `again` runs a mutant under plain pytest, with much patience.
    """
    found = []
    for mutant_id, mutant in mutants.items():
        verdict, status = matrix.verdict(mutant_id), theirs.statuses[mutant.name]
        if _AGREE.get(status) != verdict:
            what = f"{verdict} here, {status!r} by mutmut"
            reason = _why_verdicts_differ(matrix, mutant_id, status, theirs.chosen(mutant.name))
            if not reason and (verdict, status) == ("timeout", "killed"):
                reason = _ends_late(matrix, mutant_id, again(mutant_id))
            found.append(Disagreement(mutant.name, what, reason, mutant.diff))
    return len(mutants), found


def _why_verdicts_differ(
    matrix: Matrix, mutant_id: str, status: str, chosen: frozenset[str]
) -> str:
    verdict, killers = matrix.verdict(mutant_id), matrix.killers(mutant_id)
    hanging = [name for name, outcome in killers.items() if outcome in ("timeout", "crashed")]
    if status == "timeout" and verdict == "killed" and set(hanging) & chosen:
        return (
            f"{len(hanging)} of its {len(killers)} killing tests hang, and mutmut, which stops at "
            "the first, met one of those first"
        )
    missed = status in ("survived", "no tests") and verdict in ("killed", "timeout")
    if missed and not set(killers) & chosen:
        return (
            f"none of the tests that kill it ({_some(killers)}) is among the {len(chosen)} that "
            "mutmut runs: it saw none of them call the function in its own process"
        )
    if status == "no tests" and verdict == "survived":
        return (
            "mutmut saw no test call the function; here tests that always run count as reaching it"
        )
    return ""


def _ends_late(matrix: Matrix, mutant_id: str, plain: Row) -> str:
    """That a test which is over our limit does end, and fails, for one with more patience."""
    for key, entry in matrix.rows[mutant_id].items():
        result, limit = plain[key], _limit_s(matrix, key)
        if (
            entry.outcome == "timeout"
            and result.outcome in ("failed", "error")
            and result.seconds > limit
        ):
            return (
                f"{key[0]} ends, and fails, but only after {result.seconds:.1f} s in plain pytest; "
                f"the limit here is {limit:.2f} s, in mutmut 15 s more than its tests take"
            )
    return ""


def _some(names: dict[str, str]) -> str:
    shown = ", ".join(list(names)[:2])
    return shown if len(names) <= 2 else f"{shown} and {len(names) - 2} more"
