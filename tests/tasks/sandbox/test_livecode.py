from __future__ import annotations

import gc
import importlib.util
import inspect
import io
import itertools
import json
import os
import sys
import tokenize
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from tasks.sandbox.codediff import Change, Original, Refusal
from tasks.sandbox.livecode import ActivationError, LiveCode
from tasks.sandbox.recorder import RunRecorder

TRAPS = '''\
"""Everything a swap can stumble over."""
import asyncio
import contextlib
import dataclasses
import enum
import functools
import types


def plain(a, b=1, *, c="x"):
    return [a + 1, b, c]


def wrapper(function):
    @functools.wraps(function)
    def inner(*args):
        return ["wrapped", function(*args)]

    return inner


@wrapper
def decorated(n):
    return n * 2


@functools.lru_cache
def cached(n):
    return n + 3


@functools.lru_cache
def filled(n):
    return n + 4


TABLE = [filled(1), filled(2)]


@functools.singledispatch
def dispatched(value):
    return "object"


@dispatched.register(int)
def _of_int(value):
    return value + 5


class Shape:
    sides = 4

    def __init__(self, size):
        self.size = size

    def __init_subclass__(cls):
        cls.sides = 3

    @property
    def area(self):
        return self.size * 6

    @classmethod
    def unit(cls):
        return cls(1)

    @staticmethod
    def name():
        return "shape" + "7"

    def describe(self):
        return super().__repr__()[:1] + str(self.size + 8)

    class Inner:
        def deep(self):
            return 9


class Triangle(Shape):
    def describe(self):
        return "tri" + super().describe()


@dataclasses.dataclass(slots=True)
class Point:
    x: int = 1
    y: int = 2

    def norm(self):
        return abs(self.x) + abs(self.y)

    def __post_init__(self):
        self.x += 1


class Colour(enum.Enum):
    RED = 1

    def next(self):
        return self.value + 10


def factory(start):
    def count(step=1):
        return start + step

    return count


ALIVE = factory(1)


def unused_factory(start):
    def count(step=1):
        return start + step

    return count


def numbers():
    yield 1
    yield 2


def waiting():
    yield 11


WAITING = waiting()


async def later(n):
    await asyncio.sleep(0)
    return n + 12


async def stream():
    yield 13


@contextlib.contextmanager
def managed():
    yield 14


@types.coroutine
def old_style():
    yield 15


def aliased(n):
    return n + 16


also = aliased
TABLE_OF = {"a": aliased}


def code_kept():
    return 17


KEPT = [code_kept.__code__]


def shared_code():
    return 18


twin = types.FunctionType(shared_code.__code__, globals(), "twin")


def replaced():
    return 19


replaced.__code__ = replaced.__code__.replace(co_name="replaced")
if TABLE:

    def guarded():
        return 20

else:

    def guarded():
        return 21


def gone():
    return 22


del gone


async def drain():
    return [x async for x in stream()]


async def both():
    return [await later(1), await drain()]


def observe():
    """What the module does, as JSON can hold it."""
    with managed() as value:
        entered = value
    shape, triangle = Shape.unit(), Triangle(2)
    return [
        *[plain(1), plain(1, 2, c=3), decorated(1), cached(1), filled(1), filled(2), TABLE],
        *[dispatched("s"), dispatched(1), shape.area, shape.sides, Shape.name()],
        *[shape.describe(), triangle.describe(), Triangle.sides, Shape.Inner().deep()],
        *[Point().norm(), repr(Point(3)), Colour.RED.next(), ALIVE(), unused_factory(2)(3)],
        *[list(numbers()), list(WAITING), asyncio.run(both()), entered],
        *[aliased(1), also(2), TABLE_OF["a"](3), code_kept(), shared_code(), twin()],
        *[replaced(), guarded(), eval(KEPT[0])],
    ]
'''


class Live:
    """A module imported under watch, as the suite process does it."""

    def __init__(self, path: Path, *names: str, source: bytes | None = None) -> None:
        self.source = source if source is not None else path.read_bytes()
        recorder = RunRecorder()
        recorder.start()
        self.modules = [load(path, name) for name in names or ("traps",)]
        self.ran = recorder.stop()
        self.original = Original(self.source, str(path))
        self.live = LiveCode([str(path)], self.ran)

    def changes(self, old: str, new: str, count: int = 1) -> tuple[Change, ...]:
        mutated = self.source.replace(old.encode(), new.encode(), count)
        assert mutated != self.source
        found = self.original.changes(mutated)
        assert not isinstance(found, Refusal), found
        assert found
        return found

    def refusal(self, old: str, new: str) -> str:
        return "; ".join(filter(None, map(self.live.refusal, self.changes(old, new))))


def load(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def in_child(work: Callable[[], Any]) -> Any:
    """What `work` returns, or the exception it raises as text, in a fork that then ends."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            try:
                answer = work()
            except BaseException as error:
                answer = f"{type(error).__name__}: {error}"
            os.write(writing, json.dumps(answer).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        answer = file.read()
    os.waitpid(pid, 0)
    return json.loads(answer)


@pytest.fixture(autouse=True)
def _forgotten_modules() -> Iterator[None]:
    """The module of one test is a copy of the module of the next."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.fixture
def traps(tmp_path: Path) -> Live:
    path = tmp_path / "traps.py"
    path.write_text(TRAPS)
    return Live(path)


def small(tmp_path: Path, text: str, *names: str) -> Live:
    path = tmp_path / "small.py"
    path.write_text(text)
    return Live(path, *(names or ("small",)))


def tokens_changed(source: str) -> Iterator[tuple[int, str]]:
    """(line, source) with one number, text, operator or keyword changed at a time."""
    lines = source.splitlines(keepends=True)
    others = {"+": "-", "*": "+", "return": "return not", "yield": "yield -", "[": "[0,"}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        new = others.get(token.string, "")
        if token.type == tokenize.NUMBER:
            new = str(int(token.string) + 1)
        elif token.type == tokenize.STRING and not token.string.startswith('"""'):
            new = f'"XX{token.string[1:]}'
        if new:
            row, column = token.start
            line = lines[row - 1]
            changed = line[:column] + new + line[token.end[1] :]
            yield row, "".join([*lines[: row - 1], changed, *lines[row:]])


def swap_and_observe(traps: Live, changes: tuple[Change, ...]) -> Any:
    traps.live.apply(changes)
    traps.live.assert_live(changes)
    return traps.modules[0].observe()


def test_what_a_swap_does_is_what_a_fresh_import_does(traps: Live, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh.py"
    last = TRAPS[: TRAPS.index("def observe")].count("\n")
    swapped: set[str] = set()
    differing = 0
    correct = in_child(lambda: traps.modules[0].observe())
    for row, mutated in itertools.takewhile(lambda m: m[0] <= last, tokens_changed(TRAPS)):
        changes = traps.original.changes(mutated.encode())
        if isinstance(changes, Refusal) or any(map(traps.live.refusal, changes)):
            continue
        fresh.write_text(mutated)
        seen = in_child(partial(swap_and_observe, traps, changes))
        assert seen == in_child(lambda: load(fresh, "traps").observe()), (row, changes)
        swapped |= {change.qualname for change in changes}
        differing += seen != correct
    assert differing > 40
    assert swapped >= {
        *["plain", "decorated", "cached", "dispatched", "_of_int", "Shape.area", "Shape.unit"],
        *["Shape.name", "Shape.describe", "Shape.Inner.deep", "Triangle.describe", "Point.norm"],
        *["Point.__post_init__", "Colour.next", "unused_factory", "numbers", "later", "stream"],
        *["managed", "aliased", "shared_code", "guarded"],
    }


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('["wrapped", function', '["XX", function', "ran before"),
        ("return n + 4", "return n - 4", "ran before"),
        ("cls.sides = 3", "cls.sides = 2", "ran before"),
        ("return start + step", "return start - step", "ran before"),
        ("yield 11", "yield 0", "generator"),
        ("yield 15", "yield 0", "not what the file compiles to"),
        ("return 17", "return 0", "code is held by list"),
        ("return 21", "return 0", "no live function"),
        ("return 22", "return 0", "no live function"),
    ],
)
def test_an_unsound_swap_is_refused(traps: Live, old: str, new: str, reason: str) -> None:
    assert reason in traps.refusal(old, new)


def test_nothing_is_swapped_without_a_whole_record(traps: Live) -> None:
    live = LiveCode([traps.original.filename], None)
    (change,) = traps.changes("return n * 2", "return n * 3")
    assert "record" in live.refusal(change)
    assert traps.live.refusal(change) == ""


def test_a_live_generator_is_found_without_the_record(tmp_path: Path) -> None:
    live = small(tmp_path, "def f():\n    yield 1\n\n\nG = f()\n")
    live.live = LiveCode([live.original.filename], ())
    assert "generator" in live.refusal("yield 1", "yield 2")


def test_a_live_inner_function_is_found_without_the_record(tmp_path: Path) -> None:
    text = "def f():\n    def g():\n        return 1\n    return g\n\n\nG = f()\nf.keep = 1\n"
    live = small(tmp_path, text)
    live.live = LiveCode([live.original.filename], ())
    assert "inner function" in live.refusal("return 1", "return 2")


def test_a_module_under_two_names_is_swapped_in_both(tmp_path: Path) -> None:
    live = small(tmp_path, "def f():\n    return 1\n", "small", "package.small")
    changes = live.changes("return 1", "return 2")
    assert live.live.refusal(changes[0]) == ""

    def both() -> list[int]:
        live.live.apply(changes)
        live.live.assert_live(changes)
        return [module.f() for module in live.modules]

    assert in_child(both) == [2, 2]
    assert [module.f() for module in live.modules] == [1, 1]


def test_a_file_loaded_through_a_link_is_refused(tmp_path: Path) -> None:
    live = small(tmp_path, "def f():\n    return 1\n")
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "small.py"
    link.symlink_to(tmp_path / "small.py")
    load(link, "linked")
    live.live = LiveCode([live.original.filename], live.ran)
    assert "another path" in live.refusal("return 1", "return 2")


@pytest.mark.parametrize("name", ["<string>", "/tmp/of/a/copy.py"])
def test_a_copy_of_the_text_is_refused(tmp_path: Path, name: str) -> None:
    live = small(tmp_path, "\n\ndef f():\n    return [1, 'a']\n")
    space: dict[str, Any] = {}
    exec(compile(live.source.strip(), name, "exec"), space)
    live.live = LiveCode([live.original.filename], live.ran)
    assert "a copy of its code" in live.refusal("'a'", "'b'")


def test_a_copied_file_is_refused_and_a_likeness_is_not(tmp_path: Path) -> None:
    live = small(tmp_path, "def f(self):\n    return self._value\n")
    other = tmp_path / "other.py"
    other.write_text("\n\ndef f(self):\n    return self._value\n")
    load(other, "other")
    live.live = LiveCode([live.original.filename], live.ran)
    assert live.refusal("_value", "_other") == ""
    other.write_bytes(live.source)
    load(other, "other_again")
    live.live = LiveCode([live.original.filename], live.ran)
    assert "a copy of its code" in live.refusal("_value", "_other")


def test_other_live_code_than_that_of_the_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.py"
    path.write_text("def f():\n    return 1\n")
    live = Live(path, "small", source=b"def f():\n    return 3\n")
    assert "not what the file compiles to" in live.refusal("return 3", "return 2")


def test_defaults_are_swapped_and_asserted(tmp_path: Path) -> None:
    live = small(tmp_path, "def f(a=1, *, b='x'):\n    return [a, b]\n")
    changes = live.changes("a=1, *, b='x'", "a=2, *, b='y'")
    module = live.modules[0]

    def apply() -> Any:
        live.live.apply(changes)
        live.live.assert_live(changes)
        assert module.f.__kwdefaults__ is not changes[0].kwdefaults
        return module.f()

    assert in_child(apply) == [2, "y"]


def test_defaults_that_others_know_are_not_swapped(tmp_path: Path) -> None:
    live = small(
        tmp_path,
        "def f(one=1, *more, k=0, **rest):\n    return one\n\n\ndef g(two=1):\n    return two\n",
    )
    module = live.modules[0]
    file = [live.original.filename]
    assert live.refusal("one=1", "one=2") == ""
    kept = inspect.signature(module.f)
    live.live = LiveCode(file, live.ran)
    assert "signature" in live.refusal("one=1", "one=2")
    assert live.refusal("two=1", "two=2") == ""
    assert live.refusal("return one", "return -one") == ""
    del kept

    def wrapper(one: int) -> int:
        return one

    wrapper.__defaults__ = module.f.__defaults__
    live.live = LiveCode(file, live.ran)
    assert "another function took over" in live.refusal("one=1", "one=2")
    module.f.__defaults__ = (5,)
    live.live = LiveCode(file, live.ran)
    assert "not those of the file" in live.refusal("one=1", "one=2")


def test_activation_that_did_not_happen_is_an_error(traps: Live) -> None:
    changes = traps.changes("b=1", "b=2")

    def forgets() -> None:
        traps.live.assert_live(changes)

    def is_undone() -> None:
        traps.live.apply(changes)
        traps.modules[0].plain.__code__ = changes[0].original
        traps.live.assert_live(changes)

    def loses_defaults() -> None:
        traps.live.apply(changes)
        traps.modules[0].plain.__defaults__ = (1,)
        traps.live.assert_live(changes)

    error = ActivationError.__name__
    assert in_child(forgets).startswith(f"{error}: plain: the live code")
    assert in_child(is_undone).startswith(f"{error}: plain: the live code")
    assert in_child(loses_defaults).startswith(f"{error}: plain: the defaults")


def test_controls_swap_every_function_that_may_be_swapped(traps: Live) -> None:
    text = TRAPS.replace("\n\n\ndef plain", "\n\n\n\n\ndef plain").encode()
    pairs = traps.original.pairs(text)
    assert not isinstance(pairs, Refusal)
    swappable = traps.live.swappable(pairs)
    names = {change.qualname for change in swappable}
    assert "Shape.area" in names
    assert names.isdisjoint({"filled", "wrapper", "code_kept", "old_style", "gone"})

    def lines() -> list[bool]:
        traps.live.apply(swappable)
        traps.live.assert_live(swappable)
        return [traps.modules[0].plain.__code__.co_firstlineno == 12]

    assert in_child(lines) == [True]


def test_what_a_suite_froze_is_refused(tmp_path: Path) -> None:
    live = small(tmp_path, "def f():\n    return 1\n")
    gc.freeze()
    live.live = LiveCode([live.original.filename], live.ran)
    assert live.refusal("return 1", "return 2") == "f: no live function has this code"


def test_no_code_is_kept_alive_by_the_record(tmp_path: Path) -> None:
    live = small(tmp_path, "def f():\n    return 1\n\n\nX = f()\n")
    function = live.modules[0].f
    fresh = FunctionType(compile("0", "<x>", "eval"), {})
    assert sys.getrefcount(function.__code__) == sys.getrefcount(fresh.__code__)
