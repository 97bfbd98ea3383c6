"""What a run finds finished: done keys, and the facts that a later run of the driver wants back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cluster.keys import cell_key, committed_key, validated_key
from cluster.stored_calls import StoredCalls
from storage.units import Index
from tasks.results import Test, Validation


@dataclass(frozen=True)
class Tally:
    """What a finished step took: CPU and wall seconds, failed attempts; and disagreements in it."""

    cpu_s: float = 0.0
    wall_s: float = 0.0
    failed: int = 0
    disagreements: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.cpu_s + other.cpu_s,
            self.wall_s + other.wall_s,
            self.failed + other.failed,
            self.disagreements + other.disagreements,
        )


@dataclass(frozen=True)
class Layout:
    """A validated suite and its shards: for each the positions of its mutants in the set.

    `setup_s` is the most that a task spends before its first row.
    """

    validation: Validation
    shards: tuple[tuple[int, ...], ...]
    setup_s: float = 0.0


def layout_fact(layout: Layout, tally: Tally) -> dict[str, Any]:
    """JSON of a layout, and of what its validation took."""
    return {"layout": asdict(layout), "tally": asdict(tally)}


class Resume:
    """What is stored of an experiment, as the driver asks for it; kept up with what it stores."""

    def __init__(self, index: Index) -> None:
        self._done = set(index.done)
        self._facts = dict(index.facts)
        self.repeated = index.repeated
        self.calls = StoredCalls(self._done, self._facts)

    def add(self, done: Iterable[str], facts: Mapping[str, Any]) -> None:
        done = set(done)
        self._done.update(done)
        self._facts.update(facts)
        self.calls.add(done, facts)

    def done(self, key: str) -> bool:
        return key in self._done

    def cells_done(self) -> int:
        """Cells that are stored whole."""
        return sum(key.startswith(cell_key("")) and key.count(":") == 1 for key in self._done)

    def fact(self, key: str) -> Any:
        """What is stored under a key, or None where it is not done."""
        return self._facts.get(key) if key in self._done else None

    def layout(self, cell_id: str, environment: str) -> Layout | None:
        """The stored layout of a suite that is validated and not run to the end."""
        fact = self.fact(validated_key(cell_id, environment))
        return _layout(fact["layout"]) if fact else None

    def validation(self, key: str) -> Validation | None:
        """The stored validation of a candidate."""
        fact = self.fact(key)
        return _validation(_tuples(fact["validation"])) if fact else None

    def tally(self, keys: Iterable[str]) -> Tally:
        """The sum over stored steps."""
        return sum((_tally(self._facts.get(key, {})) for key in keys), Tally())

    def disagreements(self) -> int:
        """Over all that is stored."""
        return self.tally(self._facts).disagreements

    def last_commit(self) -> str:
        """When the newest unit was committed, as ISO 8601 in UTC; empty when there is none."""
        times = (key for key in self._facts if key.startswith(committed_key("")))
        return max(times, default="").removeprefix(committed_key(""))

    def missing(self) -> dict[str, str]:
        """Reasons by cell of those that were given up and not finished since."""
        found = {}
        for key, fact in self._facts.items():
            cell, _, last = key.rpartition(":")
            if last == "missing" and cell not in self._done:
                found[cell.removeprefix("cell:")] = fact["reason"]
        return found


def _tally(fact: Mapping[str, Any]) -> Tally:
    return Tally(**fact.get("tally", {}))


def _layout(stored: dict[str, Any]) -> Layout:
    data = _tuples(stored)
    return Layout(**data | {"validation": _validation(data["validation"])})


def _validation(data: dict[str, Any]) -> Validation:
    return Validation(**data | {"tests": tuple(Test(**fields) for fields in data["tests"])})


def _tuples(value: Any) -> Any:
    """JSON with tuples for lists, as the frozen records have them."""
    if isinstance(value, list | tuple):
        return tuple(_tuples(item) for item in value)
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return value
