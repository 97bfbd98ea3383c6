"""What is stored of model calls, so that none is ever paid for twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class StoredAttempt:
    """One attempt of a call that was begun, and the fact that says what was asked."""

    call_id: str
    attempt: int
    asked: Mapping[str, Any]


class StoredCalls:
    """Attempts by call, from done keys and facts."""

    def __init__(self, done: Iterable[str], facts: Mapping[str, Any]) -> None:
        self._asked: dict[str, dict[int, Mapping[str, Any]]] = {}
        self._told: dict[str, dict[int, Mapping[str, Any]]] = {}
        self._of_cell: dict[str, dict[str, None]] = {}
        self.add(done, facts)

    def add(self, done: Iterable[str], facts: Mapping[str, Any]) -> None:
        for key in done:
            if key.startswith("call:"):
                call_id, attempt, kind = key.removeprefix("call:").rsplit(":", 2)
                kept = self._asked if kind == "begun" else self._told
                kept.setdefault(call_id, {})[int(attempt)] = facts.get(key, {})
                self._of_cell.setdefault(call_id.rpartition("/")[0], {})[call_id] = None

    def attempts(self, call_id: str) -> int:
        """How many were begun."""
        return max(self._asked.get(call_id, {}), default=0)

    def reply(self, call_id: str, ask_lost: bool = False) -> Mapping[str, Any] | None:
        """The fact of the receipt that ended a call; None when it may be asked (again).

        Whatever a model had to say is never asked for again. A call that has no receipt may have
        been billed: it is asked again with `ask_lost` only.
        """
        again = ("error", "unreceipted") if ask_lost else ("error",)
        told = self._told.get(call_id, {})
        return next((t for _, t in sorted(told.items()) if t["verdict"] not in again), None)

    def unreceipted(self) -> list[StoredAttempt]:
        """Attempts that were begun and of which nothing is known: they may have been billed."""
        return [
            StoredAttempt(call_id, attempt, asked)
            for call_id, attempts in self._asked.items()
            for attempt, asked in attempts.items()
            if attempt not in self._told.get(call_id, {})
        ]

    def spent(self) -> float:
        """US dollars of all attempts; the upper bound of one whose cost is not known."""
        costs = (each for call_id in self._asked for each in self._costs(call_id))
        return sum(bound if cost is None else cost for cost, bound in costs)

    def cell_cost(self, cell_id: str) -> float | None:
        """US dollars of a cell's calls; None when any is not known, or there were none."""
        costs = [cost for call in self._of_cell.get(cell_id, ()) for cost, _ in self._costs(call)]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if costs and len(known) == len(costs) else None

    def _costs(self, call_id: str) -> Iterator[tuple[float | None, float]]:
        for attempt, asked in self._asked.get(call_id, {}).items():
            told = self._told.get(call_id, {}).get(attempt, {})
            yield told.get("cost_usd"), asked.get("bound_usd") or 0.0
