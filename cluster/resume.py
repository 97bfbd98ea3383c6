"""What a run finds finished: done keys, and the facts that a later run of the driver wants back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from storage.units import Index
from tasks.results import Test, Validation


def subject_key(subject_id: str) -> str:
    return f"subject:{subject_id}"


def mutants_key(subject_id: str) -> str:
    return f"mutants:{subject_id}"


def cell_key(cell_id: str) -> str:
    """Done when the cell and all of its rows are stored."""
    return f"cell:{cell_id}"


def validated_key(cell_id: str) -> str:
    """Done when a cell's suite is validated and its shards are laid out; a fact holds both."""
    return f"cell:{cell_id}:validated"


def shard_key(cell_id: str, number: int, shards: int) -> str:
    """Done when the rows of one shard are stored; numbers count from 1."""
    return f"cell:{cell_id}:shard:{number}/{shards}"


def committed_key(at: str) -> str:
    """A fact that holds nothing: its name says when its unit was committed."""
    return f"committed:{at}"


def missing_key(cell_id: str) -> str:
    """Not work done, but the fact under it says why the cell was given up."""
    return f"cell:{cell_id}:missing"


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

    def add(self, done: Iterable[str], facts: Mapping[str, Any]) -> None:
        self._done.update(done)
        self._facts.update(facts)

    def done(self, key: str) -> bool:
        return key in self._done

    def cells_done(self) -> int:
        """Cells that are stored whole. Names of arms and subjects hold no colon."""
        return sum(key.startswith(cell_key("")) and key.count(":") == 1 for key in self._done)

    def layout(self, cell_id: str) -> Layout | None:
        """The stored layout of a cell that is validated and not finished."""
        key = validated_key(cell_id)
        return _layout(self._facts[key]["layout"]) if key in self._done else None

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
    tests = tuple(Test(**fields) for fields in data["validation"]["tests"])
    return Layout(**data | {"validation": Validation(**data["validation"] | {"tests": tests})})


def _tuples(value: Any) -> Any:
    """JSON with tuples for lists, as the frozen records have them."""
    if isinstance(value, list | tuple):
        return tuple(_tuples(item) for item in value)
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return value
