"""A plan for people to read: subjects, mutants, what engines skip, and cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cluster.commands.calls_text import call_lines
from cluster.commands.text import columns
from cluster.plan import Plan, PlannedSubject
from cluster.rehearsal import Rehearsal, RehearsedCell

STATUSES = ("ok", "uncompilable", "duplicate", "equivalent_bytecode")


def plan_lines(plan: Plan, verbose: bool = False) -> list[str]:
    """The static part of a plan, section by section; `verbose` lists every piece skipped."""
    return [
        f"experiment {plan.experiment_id}",
        *_section("Subjects", _subjects(plan)),
        *_section("Mutants by operator and status", _operators(plan)),
        *_section("What engines leave alone", _skipped(plan, verbose)),
        *_section("Cells", _cells(plan)),
        *_section("Model calls", call_lines(plan)),
        *_section("Notes", list(plan.notes)),
    ]


def rehearsal_lines(rehearsal: Rehearsal) -> list[str]:
    """What running the suites has shown, and how long the experiment takes."""
    return [
        *_section("Suites by status", _statuses(rehearsal)),
        *_section("Suites that cannot be scored", list(_unusable(rehearsal))),
        *_section("Tests that cannot kill", _dropped(rehearsal)),
        "",
        f"Estimated time: {_about(rehearsal.estimate_s)} on {rehearsal.cpus} CPUs, "
        "beside the start of Ray",
    ]


def _section(title: str, lines: list[str]) -> list[str]:
    return ["", title, *(f"  {line}" for line in lines)] if lines else []


def _subjects(plan: Plan) -> list[str]:
    cells = Counter(cell.subject_id for cell in plan.cells)
    rows = [
        (
            planned.subject.name,
            planned.subject.kind,
            " ".join(planned.subject.targets),
            str(len(planned.mutant_set.mutants)),
            str(len(planned.runnable)),
            str(cells[subject_id]),
        )
        for subject_id, planned in plan.subjects.items()
    ]
    header = ("subject", "kind", "targets", "mutants", "to run", "cells")
    return columns(header, rows, right={3, 4, 5})


def _operators(plan: Plan) -> list[str]:
    counts: Counter[tuple[str, str, str]] = Counter()
    for planned in plan.subjects.values():
        counts.update((m.engine, m.operator, m.status) for m in planned.mutant_set.mutants)
    statuses = [status for status in STATUSES if any(key[2] == status for key in counts)]
    kinds = sorted({key[:2] for key in counts})
    rows = [
        (engine, operator, *(f"{counts[engine, operator, each] or ''}" for each in statuses))
        for engine, operator in kinds
    ]
    totals = [str(sum(n for key, n in counts.items() if key[2] == each)) for each in statuses]
    header = ("engine", "operator", *statuses)
    return columns(header, [*rows, ("all", "", *totals)], right=range(2, len(header)))


def _skipped(plan: Plan, verbose: bool) -> list[str]:
    lines: list[str] = []
    for planned in plan.subjects.values():
        # What follows the colon differs from place to place: "module level: 2 statements".
        reasons = Counter(each.reason.split(": ")[0] for each in planned.mutant_set.skipped)
        if reasons:
            texts = [f"{reason} ({n})" if n > 1 else reason for reason, n in reasons.most_common()]
            lines.append(f"{planned.subject.name}: {', '.join(texts)}")
            lines += _places(planned) if verbose else []
    if lines and not verbose:
        lines.append("--verbose lists the places")
    return lines


def _places(planned: PlannedSubject) -> Iterator[str]:
    for each in planned.mutant_set.skipped:
        yield f"  {each.path}:{each.line}: {each.name}: {each.reason}"


def _cells(plan: Plan) -> list[str]:
    rows = []
    for name in plan.arms:
        own = [cell for cell in plan.cells if cell.arm == name]
        mutants = sum(plan.rows(cell) for cell in own)
        rows.append((name, str(len(own)), f"{mutants:,}"))
    total = (str(len(plan.cells)), f"{sum(plan.rows(cell) for cell in plan.cells):,}")
    return columns(("arm", "cells", "mutants"), [*rows, ("all", *total)], right={1, 2})


def _about(seconds: float) -> str:
    """Two figures are more than an estimate has: 40 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def _statuses(rehearsal: Rehearsal) -> list[str]:
    counts = Counter((each.cell.arm, _status(each)) for each in rehearsal.cells)
    rows = [(arm, status, str(count)) for (arm, status), count in counts.items()]
    return columns(("arm", "status", "suites"), rows, right={2})


def _status(each: RehearsedCell) -> str:
    return each.validation.status if each.validation else "missing"


def _unusable(rehearsal: Rehearsal) -> Iterator[str]:
    for each in rehearsal.cells:
        if _status(each) != "valid":
            yield ": ".join(filter(None, [each.cell.cell_id, _status(each), each.reason]))


def _dropped(rehearsal: Rehearsal) -> list[str]:
    counts = Counter(
        (each.cell.arm, test.dropped_reason)
        for each in rehearsal.cells
        for test in (each.validation.tests if each.validation else ())
        if not test.kept
    )
    rows = [(arm, reason, str(count)) for (arm, reason), count in counts.items()]
    return columns(("arm", "reason", "tests"), rows, right={2}) if rows else []
