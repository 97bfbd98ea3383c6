"""Model calls of a plan for people to read: how many, what they cost at most, what is asked."""

from __future__ import annotations

from collections.abc import Iterator

from cluster.commands.text import columns
from cluster.estimates import ArmCalls, calls_of
from cluster.plan import Plan


def call_lines(plan: Plan) -> list[str]:
    """Calls of every arm that has any, with the most that they can cost."""
    arms = calls_of(plan)
    if not arms:
        return []
    rows = [_row(each) for each in arms]
    known = [each.bound_usd for each in arms if each.bound_usd is not None]
    total = _dollars(sum(known)) if len(known) == len(arms) else "unknown"
    rows.append(("all", "", str(sum(each.calls for each in arms)), "", total))
    table = columns(("arm", "model", "calls", "cap", "at most"), rows, right={2, 3, 4})
    budget = plan.config.calls.budget_usd
    return [
        *table,
        "at most: every reply as long as its cap, every draw and repair needed, no try failing",
        f"budget: {_dollars(budget)}" if budget else "budget: none (calls.budget_usd)",
    ]


def prompt_lines(plan: Plan) -> Iterator[str]:
    """What every subject and prompt is asked, once for all models and replicates that share it."""
    shown = set()
    for cell in plan.cells:
        if cell.prompt and cell.identity not in shown:
            shown.add(cell.identity)
            yield f"--- prompt {cell.identity[:12]} of {cell.subject_id}, first in arm {cell.arm}"
            for message in cell.prompt:
                yield f"[{message.role}]"
                yield message.text


def _row(arm: ArmCalls) -> tuple[str, ...]:
    bound = "no price" if arm.bound_usd is None else _dollars(arm.bound_usd)
    return (arm.arm, arm.model, str(arm.calls), str(arm.cap), bound)


def _dollars(value: float) -> str:
    return f"${value:,.2f}" if value >= 0.995 or value == 0 else f"${value:.4f}"
