"""However a mutant is activated, every test has the outcome that a new process gives it."""

from __future__ import annotations

import pytest

from tasks.job import run_job
from tasks.records import ExecutionSettings, SourceFile
from tasks.results import Job
from tests.tasks.measuring import Measured, cache, measure, mutant, subject, suite

TRAPS = '''\
import asyncio
import contextlib
import dataclasses
import enum
import functools

TABLE = {n: n * n for n in range(5)}


def at_import(n):
    return n + 100


CONSTANT = at_import(1)


def default(a, b=2, *, c=3):
    return a + b + c


def computed_default(a, b=at_import(2)):
    return a + b


def mutable_default(a, seen=[]):
    seen.append(a)
    return len(seen)


def logged(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args) + 1
    return inner


@logged
def decorated(x):
    return x * 3


@functools.lru_cache(maxsize=None)
def cached(x):
    return x * 5


@dataclasses.dataclass
class Point:
    x: int = 1
    y: int = dataclasses.field(default_factory=lambda: 2)

    @property
    def total(self):
        return self.x + self.y

    @classmethod
    def make(cls, x):
        return cls(x + 1)

    @staticmethod
    def double(x):
        return x * 2

    class Inner:
        def value(self):
            return 7

    def __eq__(self, other):
        return self.x == other.x

    def __hash__(self):
        return hash(self.x)


class Colour(enum.Enum):
    RED = 1
    BLUE = 2

    def label(self):
        return self.name.lower() + "!"


class Base:
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        cls.mark = "marked"


class Derived(Base):
    def name(self):
        return super().__repr__().partition(" ")[0]


def closure(n):
    def inner(x):
        return x + n
    return inner


ADD_TWO = closure(2)


def generator(n):
    for i in range(n):
        yield i * 2


async def coroutine(x):
    await asyncio.sleep(0)
    return x - 1


async def async_generator(n):
    for i in range(n):
        yield i + 1


@contextlib.contextmanager
def context(items):
    items.append("in")
    yield items
    items.append("out")


alias = default
handlers = {"default": default}
partial = functools.partial(default, 10)
small = lambda x: x + 4


def with_annotations(x: int) -> "str":
    """Doc."""
    return str(x) + "?"


def raises(x):
    if x < 0:
        raise ValueError("negative")
    return x


try:
    import json
    def in_try(x):
        return json.dumps(x)
except ImportError:
    pass
'''

SUITE = """\
import asyncio
import copy
import importlib
import pickle
import subprocess
import sys
import threading
from unittest import mock

import pytest
import solution
from solution import default as imported_default

sys.path.insert(0, ".")
ALIVE = solution.generator(3)
next(ALIVE)


def test_table(): assert solution.TABLE[3] == 9
def test_constant(): assert solution.CONSTANT == 101
def test_default(): assert solution.default(1) == 6
def test_imported(): assert imported_default(1, c=1) == 4
def test_alias(): assert solution.alias(1) == 6 and solution.handlers["default"](1) == 6
def test_partial(): assert solution.partial() == 15
def test_computed_default(): assert solution.computed_default(1) == 103
def test_mutable_default(): assert solution.mutable_default(1) == 1
def test_mutable_default_again(): assert solution.mutable_default(1) == 2
def test_decorated(): assert solution.decorated(2) == 7
def test_cached(): assert solution.cached(2) == 10
def test_cached_again(): assert solution.cached(2) == 10
def test_point(): assert solution.Point().total == 3
def test_make(): assert solution.Point.make(3).x == 4
def test_double(): assert solution.Point.double(3) == 6
def test_inner(): assert solution.Point.Inner().value() == 7
def test_equal(): assert solution.Point(1) == solution.Point(1, 9)
def test_colour(): assert solution.Colour.RED.label() == "red!"
def test_colour_value(): assert solution.Colour(2) is solution.Colour.BLUE
def test_mark(): assert solution.Derived.mark == "marked"
def test_super(): assert solution.Derived().name() == "<solution.Derived"
def test_closure(): assert solution.closure(1)(1) == 2
def test_add_two(): assert solution.ADD_TWO(1) == 3
def test_alive(): assert list(ALIVE) == [2, 4]
def test_generator(): assert list(solution.generator(3)) == [0, 2, 4]
def test_coroutine(): assert asyncio.run(solution.coroutine(3)) == 2
def test_small(): assert solution.small(1) == 5
def test_annotations(): assert solution.with_annotations(1) == "1?"
def test_doc(): assert solution.with_annotations.__doc__ == "Doc."
def test_in_try(): assert solution.in_try([1]) == "[1]"


def test_async_generator():
    async def collect():
        return [x async for x in solution.async_generator(3)]
    assert asyncio.run(collect()) == [1, 2, 3]


def test_context():
    items = []
    with solution.context(items):
        assert items == ["in"]
    assert items == ["in", "out"]


def test_raises():
    with pytest.raises(ValueError):
        solution.raises(-1)


def test_patched():
    with mock.patch("solution.default", return_value=5):
        assert solution.default(1) == 5


def test_pickle(): assert pickle.loads(pickle.dumps(solution.raises))(2) == 2


def test_reload():
    again = importlib.reload(solution)
    assert again.default(1) == 6


def test_after_reload(): assert solution.default(1) == 6


def test_reimport():
    del sys.modules["solution"]
    import solution as second
    assert second.decorated(1) == 4


def test_subprocess():
    code = "import solution; print(solution.default(1))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "6"


def test_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(solution.raises(3)))
    thread.start()
    thread.join()
    assert found == [3]


def test_copy(): assert copy.deepcopy(solution.Point(5)).x == 5


@pytest.fixture(scope="module")
def shared(): return solution.closure(10)(1)
def test_shared_one(shared): assert shared == 11
def test_shared_two(shared): assert shared == 11
"""

EDITS = {
    "table": ("n * n for", "n + n for"),
    "at_import": ("n + 100", "n + 99"),
    "default_constant": ("b=2, *", "b=5, *"),
    "keyword_default": ("c=3)", "c=4)"),
    "default_body": ("a + b + c", "a - b + c"),
    "computed_default": ("b=at_import(2)", "b=at_import(3)"),
    "computed_body": ("    return a + b\n", "    return a - b\n"),
    "mutable_default": ("seen=[]", "seen=[0]"),
    "mutable_body": ("seen.append(a)", "seen.extend([a, a])"),
    "wrapper": ("function(*args) + 1", "function(*args) + 2"),
    "decorated": ("x * 3", "x * 4"),
    "cached": ("x * 5", "x * 6"),
    "cache_size": ("maxsize=None", "maxsize=1"),
    "field": ("x: int = 1", "x: int = 3"),
    "factory": ("lambda: 2", "lambda: 3"),
    "property": ("self.x + self.y", "self.x - self.y"),
    "classmethod": ("cls(x + 1)", "cls(x + 2)"),
    "staticmethod": ("return x * 2", "return x * 9"),
    "inner_class": ("return 7", "return 8"),
    "equality": ("self.x == other.x", "self.x != other.x"),
    "enum_method": ('+ "!"', '+ "?"'),
    "enum_value": ("BLUE = 2", "BLUE = 3"),
    "subclass_hook": ('"marked"', '"unmarked"'),
    "super_call": ('partition(" ")[0]', 'partition(" ")[2]'),
    "closure": ("return x + n", "return x - n"),
    "generator": ("yield i * 2", "yield i * 3"),
    "coroutine": ("return x - 1", "return x - 2"),
    "async_generator": ("yield i + 1", "yield i + 2"),
    "context": ('items.append("out")', 'items.append("end")'),
    "lambda": ("x + 4", "x + 5"),
    "text": ('+ "?"', '+ "!"'),
    "docstring": ("Doc.", "Document."),
    "condition": ("x < 0", "x <= 3"),
    "error": ('ValueError("negative")', 'TypeError("negative")'),
    "kind": ("        yield i * 2", "        return [i * 2]"),
    "new_closure": ("return x + n", "return x + n + x"),
    "in_try": ("json.dumps(x)", "json.dumps([x])"),
    "import_error": ("import enum", "import enum_missing as enum"),
    "hang_at_import": ("CONSTANT = at_import(1)", "CONSTANT = at_import(1)\nwhile True: pass"),
    "exit_at_import": (
        "CONSTANT = at_import(1)",
        "CONSTANT = at_import(1)\n__import__('os')._exit(0)",
    ),
}

# Their functions run while the suite is collected, or they change more than functions.
MUST_NOT_SWAP = {
    "table", "at_import", "computed_default", "mutable_default", "wrapper", "cache_size", "field",
    "enum_value", "subclass_hook", "closure", "generator", "kind", "import_error",
    "hang_at_import", "exit_at_import",
}  # fmt: skip


def mutants() -> dict[str, str | bytes]:
    made: dict[str, str | bytes] = {}
    for name, (old, new) in EDITS.items():
        assert TRAPS.count(old) >= 1, name
        made[name] = TRAPS.replace(old, new, 1)
        assert made[name] != TRAPS
    return made


@pytest.fixture(scope="module")
def by_strategy() -> dict[str, Measured]:
    of, by = subject(TRAPS), suite(SUITE)
    return {s: measure(of, by, mutants(), strategy=s) for s in ("process", "fresh", "auto")}


@pytest.mark.parametrize("strategy", ["fresh", "auto"])
@pytest.mark.parametrize("name", EDITS)
def test_a_trap_has_the_same_row_as_in_a_new_process(
    by_strategy: dict[str, Measured], strategy: str, name: str
) -> None:
    assert by_strategy[strategy].matrix()[name] == by_strategy["process"].matrix()[name]


def test_the_suite_of_traps_is_valid_and_mostly_kills(by_strategy: dict[str, Measured]) -> None:
    for measured in by_strategy.values():
        assert measured.validation.status == "valid"
        assert measured.dropped() == {}
    rows = by_strategy["process"].matrix()
    unkilled = {n for n, row in rows.items() if set(row.values()) <= {"passed"}}
    assert unkilled == {"cache_size"}


def test_what_cannot_be_swapped_is_imported_anew(by_strategy: dict[str, Measured]) -> None:
    strategies = by_strategy["auto"].strategies()
    assert {name for name in MUST_NOT_SWAP if strategies[name] == "swap"} == set()


def test_most_function_bodies_are_swapped(by_strategy: dict[str, Measured]) -> None:
    swapped = [n for n, s in by_strategy["auto"].strategies().items() if s == "swap"]
    assert {"default_body", "default_constant", "property", "coroutine", "error"} <= set(swapped)


def test_a_hang_at_import_is_a_time_out_of_every_test(by_strategy: dict[str, Measured]) -> None:
    assert set(by_strategy["auto"].matrix()["hang_at_import"].values()) == {"timeout"}


def test_an_exit_at_import_is_a_crash_of_every_test(by_strategy: dict[str, Measured]) -> None:
    assert set(by_strategy["auto"].matrix()["exit_at_import"].values()) == {"crashed"}


def test_a_mutant_that_cannot_be_imported_is_an_error_of_every_test(
    by_strategy: dict[str, Measured],
) -> None:
    assert set(by_strategy["auto"].matrix()["import_error"].values()) == {"error"}


SIMPLE = "def work(x):\n    return x + 1\n"
CHECK = "from solution import work\n\ndef test_work():\n    assert work(1) == 2\n"


@pytest.mark.parametrize("strategy", ["swap", "fresh", "process"])
@pytest.mark.parametrize(
    "source",
    [
        b"# -*- coding: latin-1 -*-\r\nNAME = '\xe9'\r\ndef work(x):\r\n    return x + len(NAME)\r\n",
        b"\xef\xbb\xbfdef work(x):\r\n    return x + 1\r\n",
        b"def work(x):\n    return x + 1",
        b"\x0cdef work(x):\r    return x + 1\r",
    ],
    ids=["latin1-crlf", "bom-crlf", "no-newline", "form-feed-cr"],
)
def test_sources_are_run_as_python_decodes_them(source: bytes, strategy: str) -> None:
    mutated = source.replace(b"x + ", b"x - ")
    measured = measure(subject(source), suite(CHECK), {"minus": mutated}, strategy=strategy)
    assert measured.validation.status == "valid"
    assert measured.matrix() == {"minus": {"test_work": "failed"}}


@pytest.mark.parametrize("strategy", ["fresh", "process"])
def test_stale_bytecode_of_a_same_length_mutant_is_never_run(strategy: str) -> None:
    import importlib.util

    cached = importlib.util.MAGIC_NUMBER + bytes(12) + b"\xe3" + b"\x00" * 40
    files = (
        SourceFile("solution.py", SIMPLE.encode()),
        SourceFile("conftest.py", b"import sys\nsys.dont_write_bytecode = False\n"),
        SourceFile("__pycache__/solution.cpython-311.pyc", cached),
    )
    of = subject(SIMPLE, files=files[:2])
    made: dict[str, str | bytes] = {"minus": SIMPLE.replace("+", "-"), "same": SIMPLE + "\n"}
    matrix = measure(of, suite(CHECK), made, strategy=strategy).matrix()
    assert matrix == {"minus": {"test_work": "failed"}, "same": {"test_work": "passed"}}


def test_a_module_imported_under_two_names_is_mutated_under_both() -> None:
    source = CHECK + (
        "\nimport importlib.util\n"
        "spec = importlib.util.spec_from_file_location('second', '/work/solution.py')\n"
        "second = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(second)\n"
        "\ndef test_second():\n    assert second.work(1) == 2\n"
    )
    made: dict[str, str | bytes] = {"minus": SIMPLE.replace("+", "-")}
    for strategy in ("swap", "fresh"):
        rows = measure(subject(SIMPLE), suite(source), made, strategy=strategy).matrix()
        assert rows == {"minus": {"test_work": "failed", "test_second": "failed"}}


@pytest.mark.parametrize(
    "conftest",
    [
        "import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n",
        "import subprocess\nchild = subprocess.Popen(['sleep', '600'])\n",
        "import socket\nserver = socket.socket()\nserver.bind(('127.0.0.1', 0))\n",
    ],
    ids=["thread", "child", "socket"],
)
def test_a_process_that_is_unfit_to_fork_is_not_forked(conftest: str) -> None:
    made: dict[str, str | bytes] = {"minus": SIMPLE.replace("+", "-")}
    measured = measure(subject(SIMPLE), suite(CHECK, conftest=conftest), made)
    assert measured.strategies() == {"minus": "fresh"}
    assert measured.matrix() == {"minus": {"test_work": "failed"}}
    assert "no_swap" in measured.events()


def test_first_kill_stops_a_row_and_says_nothing_of_the_rest() -> None:
    source = CHECK + "\ndef test_second():\n    assert work(2) == 3\n"
    made: dict[str, str | bytes] = {"minus": SIMPLE.replace("+", "-"), "same": SIMPLE + "\n\n"}
    measured = measure(subject(SIMPLE), suite(source), made, matrix="first_kill")
    assert measured.matrix() == {
        "minus": {"test_work": "failed"},
        "same": {"test_work": "passed", "test_second": "passed"},
    }


def test_tests_that_do_not_reach_a_mutant_are_left_out_and_said_to_be() -> None:
    two = SIMPLE + "\n\ndef other(x):\n    return x * 2\n"
    source = (
        "import pytest\nfrom solution import other, work\n"
        "@pytest.mark.parametrize('n', range(60))\ndef test_other(n):\n    assert other(n) == 2 * n\n"
        "def test_work():\n    assert work(1) == 2\n"
    )
    made: dict[str, str | bytes] = {"minus": two.replace("x + 1", "x - 1")}
    measured = measure(subject(two), suite(source), made)
    (row,) = measured.result.rows
    assert [e.outcome for e in row.executions] == ["passed"] * 60 + ["failed"]
    assert [e.executed for e in row.executions] == [False] * 60 + [True]
    everything = measure(subject(two), suite(source), made, select="all")
    assert everything.matrix() == measured.matrix()


def test_a_suite_that_reads_the_source_while_collected_is_not_swapped() -> None:
    source = (
        "TEXT = open('solution.py').read()\n"
        + CHECK
        + "\ndef test_text():\n    assert '+' in TEXT\n"
    )
    made: dict[str, str | bytes] = {"minus": SIMPLE.replace("+", "-")}
    measured = measure(subject(SIMPLE), suite(source), made)
    assert measured.strategies() == {"minus": "fresh"}
    assert measured.matrix() == {"minus": {"test_work": "failed", "test_text": "failed"}}


def test_a_suite_that_sets_a_profiler_is_measured_without_one() -> None:
    source = "import sys\nsys.setprofile(lambda *a: None)\n" + CHECK
    made: dict[str, str | bytes] = {"minus": SIMPLE.replace("+", "-")}
    measured = measure(subject(SIMPLE), suite(source), made)
    assert measured.validation.status == "valid"
    assert measured.matrix() == {"minus": {"test_work": "failed"}}


def test_a_suite_that_freezes_its_objects_is_swapped_all_the_same() -> None:
    conftest = "import gc\ndef pytest_collection_finish():\n    gc.collect()\n    gc.freeze()\n"
    made: dict[str, str | bytes] = {"minus": SIMPLE.replace("+", "-")}
    measured = measure(subject(SIMPLE), suite(CHECK, conftest=conftest), made)
    assert measured.strategies() == {"minus": "swap"}
    assert measured.matrix() == {"minus": {"test_work": "failed"}}


def test_what_a_validation_found_out_holds_for_every_later_job() -> None:
    source = "TEXT = open('solution.py').read()\n" + CHECK
    of, by = subject(SIMPLE), suite(source)
    validation = measure(of, by).validation
    made = mutant(of, "minus", SIMPLE.replace("+", "-"))
    result = run_job(Job(of, by, (made,), ExecutionSettings(), validation), cache())
    assert Measured(result).strategies() == {"minus": "fresh"}


def test_hypothesis_sees_the_subject_and_nothing_of_ours() -> None:
    source = CHECK + (
        "\ndef test_local():\n    import sys\n"
        "    files = [getattr(m, '__file__', None) or '' for m in sys.modules.values()]\n"
        "    assert not [f for f in files if f.startswith('/killgrid')]\n"
    )
    for strategy in ("swap", "fresh", "process"):
        measured = measure(subject(SIMPLE), suite(source), strategy=strategy)
        assert measured.dropped() == {}
