"""Subjects and engine configs for the tests of mutants."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from pathlib import Path

from configs.schema import MutantsConfig
from tasks.mutants import MutantSet, make_mutants
from tasks.records import Environment, Mutant, SourceFile, Subject


def subject(source: str | bytes, path: str = "pkg/mod.py", python: str = "3.11") -> Subject:
    """A project subject of one file, which is its target."""
    return subject_of({path: source}, python)


def subject_of(sources: dict[str, str | bytes], python: str = "3.11") -> Subject:
    files = tuple(
        SourceFile(path, text if isinstance(text, bytes) else textwrap.dedent(text).encode())
        for path, text in sources.items()
    )
    targets = tuple(file.path for file in files)
    return Subject("demo-1", "demo", "project", files, targets, Environment(python))


def config(engine: str, **keys: object) -> MutantsConfig:
    return MutantsConfig.model_validate({"engine": engine, **keys})


def mutmut_set(subject: Subject, cache: Path, **keys: object) -> MutantSet:
    return make_mutants(subject, [config("mutmut", **keys)], cache, cache)


def edit_set(subject: Subject, folder: Path, rows: Iterable[dict[str, object]]) -> MutantSet:
    """Mutants of an edits file with these rows; rows without an id are numbered from 0."""
    numbered = [{"id": str(number), **row} for number, row in enumerate(rows)]
    (folder / "edits.jsonl").write_text("".join(json.dumps(row) + "\n" for row in numbered))
    return make_mutants(subject, [config("edits", file="edits.jsonl")], folder, folder)


def by_name(mutant_set: MutantSet) -> dict[str, Mutant]:
    return {mutant.name: mutant for mutant in mutant_set.mutants}


SOURCE = '''\
"""A module."""
from __future__ import annotations

LIMIT = 3


def first(a, b=1):
    if a > b:
        return a + b
    return a + b


class Box:
    size = 1

    def grow(self, by):
        """Grow."""
        self.__size = self.size + by
        return super().__repr__() + str(self.__size)

    @staticmethod
    def make(n):
        return [Box() for _ in range(n)]


def last(items):
    def inner(x):
        return x is None

    return [inner(each) for each in items if each not in (1, 2)]
'''

TRAPS = '''\
"""Everything mutmut treats in a special way."""
from __future__ import annotations

import enum
import functools
from copy import deepcopy
from dataclasses import dataclass

FLAG = True
pick = lambda a: a + 1

if FLAG:
    def conditional(a):
        return a + 1


def plain(a, b=2, *, c="text", d=len("abc")):
    """Doc 1."""
    if a > b and not c:
        return f"{a + 1} and {b}"
    total = 0
    for each in range(a, b):
        if each == 3:
            continue
        total += each
    return (
        total
        if d
        else isinstance(a, int)
    )


@functools.lru_cache
def cached(n):
    return n + 1


async def waits(x: int = 1) -> int:
    def inner(y):
        return y - x

    @functools.wraps(inner)
    def wrapped(y):
        return y + 1

    return inner(await wrapped(1))


def deepcopy_it(x):
    return deepcopy(x)


def quiet(x):
    y = x + 1  # pragma: no mutate
    return y * 2


class Color(enum.Enum):
    RED = 1

    def __init__(self, value):
        self.x = value + 1

    def name_of(self):
        return self.x + 1


class Shape:
    sides = 3
    """Not a docstring."""

    def __new__(cls):
        return super().__new__(cls)

    def area(self, factor=1.5):
        match factor:
            case 1:
                return 0
            case _:
                return self.__private * factor

    @property
    def size(self):
        return self.sides + 1

    @staticmethod
    def unit():
        return dict(a=1, b=None)

    @classmethod
    def build(cls):
        return cls().area(2)

    class Inner:
        def deep(self):
            return 1

    if FLAG:
        def maybe(self):
            return 2


@dataclass
class Point:
    x: int = 1

    def shift(self):
        return self.x + 1


class Compact: flat = 1


def last(s): return s.upper().split(",", 1)
'''
