"""The mutmut engine makes what `mutmut run` makes, mutant by mutant, in whatever release."""

from __future__ import annotations

import ast
import json
import subprocess
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from configs.errors import ConfigError, InfraError, NotFoundError
from tasks import mutmut_engine
from tasks.archives import fetch_archive, read_archive
from tasks.mutmut_engine import close_processes, interpreter
from tasks.packages import find_release
from tasks.records import Mutant
from tests.tasks.mutant_helpers import TRAPS, by_name, mutmut_set, subject, subject_of

PUBLISHED = [
    ("packaging==26.4", "src/packaging/_elffile.py", "3.8.1", 68),
    ("packaging==26.4", "src/packaging/_elffile.py", "3.6.0", 69),
    ("idna==3.16", "idna/cli.py", "3.8.1", 191),
    ("idna==3.16", "idna/cli.py", "3.6.0", 187),
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield tmp_path_factory.mktemp("cache")
    close_processes()


def mutmut_run(python: Path, path: str, source: bytes, folder: Path) -> tuple[list[str], str]:
    """Names in order and the file with all trampolines, as `mutmut run` leaves them.

    It fails afterwards, since there are no tests; the mutants are there by then.
    """
    (folder / path).parent.mkdir(parents=True)
    (folder / path).write_bytes(source)
    top = path.split("/")[0]
    (folder / "pyproject.toml").write_text(f'[tool.mutmut]\nsource_paths = ["{top}"]\n')
    command = [python, "-m", "mutmut", "run", "--max-children", "1"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    meta = folder / "mutants" / f"{path}.meta"
    assert meta.exists(), done.stdout + done.stderr
    names = list(json.loads(meta.read_text())["exit_code_by_key"])
    return names, (folder / "mutants" / path).read_text()


def functions(source: str) -> dict[str, list[str]]:
    """Lines of every function by name, classes before it; the name itself is left out."""
    lines = source.split("\n")
    found = {}

    def visit(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                part = lines[node.lineno - 1 : node.end_lineno]
                part[0] = part[0].replace(node.name, "", 1)
                found[prefix + node.name] = part
            elif isinstance(node, ast.ClassDef):
                visit(node.body, f"{prefix}{node.name}.")

    visit(ast.parse(source).body, "")
    return found


def assert_same(original: str, mutants: tuple[Mutant, ...], names: list[str], run: str) -> None:
    """Same names in the same order, the same text of each mutated function, and nothing else."""
    assert [mutant.name for mutant in mutants] == names
    theirs, before = functions(run), functions(original)
    for mutant in mutants:
        mangled = mutant.name.rsplit(".", 1)[1]
        owner, _, function = mangled.partition("__mutmut_")[0].removeprefix("x").rpartition("ǁ")
        key = owner.strip("ǁ") + "." + function if owner else function.removeprefix("_")
        after = functions(mutant.source.decode())
        generated = next(text for name, text in theirs.items() if name.split(".")[-1] == mangled)
        assert after.pop(key) == generated
        assert after == {name: text for name, text in before.items() if name != key}


@pytest.mark.parametrize(("package", "path", "version", "count"), PUBLISHED)
def test_published_sets_are_made_again(
    package: str, path: str, version: str, count: int, cache: Path, tmp_path: Path
) -> None:
    archive = fetch_archive(find_release(package, "3.11", cache), cache)
    source = next(f.data for f in read_archive(archive, package) if f.path == path)
    made = mutmut_set(subject(source, path), cache, version=version)
    assert len(made.mutants) == count
    assert {mutant.engine_version for mutant in made.mutants} == {version}
    names, run = mutmut_run(interpreter(version, cache), path, source, tmp_path)
    assert_same(source.decode(), made.mutants, names, run)


def test_special_cases_are_treated_as_mutmut_run_does(cache: Path, tmp_path: Path) -> None:
    made = mutmut_set(subject(TRAPS), cache)
    names, run = mutmut_run(interpreter("3.8.1", cache), "pkg/mod.py", TRAPS.encode(), tmp_path)
    assert len(names) > 50
    assert_same(TRAPS, made.mutants, names, run)
    assert {m.status for m in made.mutants} == {"ok"}


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: f"# coding: latin-1\r\n# \xe9\n{text}".encode("latin-1"),
        lambda text: text.rstrip().encode(),
        lambda text: text.replace("    ", "\t").encode(),
    ],
    ids=["crlf", "bom", "latin-1 and mixed line ends", "no last newline", "tabs"],
)
def test_bytes_outside_the_change_are_kept(change: Callable[[str], bytes], cache: Path) -> None:
    plain, made = mutmut_set(subject(TRAPS), cache), mutmut_set(subject(change(TRAPS)), cache)
    expected = [change(mutant.source.decode()) for mutant in plain.mutants]
    assert [mutant.source for mutant in made.mutants] == expected
    assert [mutant.name for mutant in made.mutants] == [m.name for m in plain.mutants]


def test_a_mutant_its_encoding_cannot_hold_is_listed(cache: Path) -> None:
    source = "# coding: latin-1\ndef f():\n    return 'ÿ'\n".encode("latin-1")
    made = mutmut_set(subject(source), cache)
    assert [m.operator for m in made.mutants] == ["string"]
    (left,) = made.skipped
    assert (left.line, left.reason) == (3, "mutant string cannot be written in iso-8859-1")
    assert left.name == "pkg.mod.x_f__mutmut_2"


def test_operators_are_named(cache: Path) -> None:
    source = """\
        def f(a):
            b = a + 1
            return not b
        """
    made = mutmut_set(subject(textwrap.dedent(source)), cache)
    assert [(m.operator, m.line, m.column) for m in made.mutants] == [
        ("assignment", 2, 9),
        ("swap_op", 2, 11),
        ("number", 2, 13),
        ("remove_unary_ops", 3, 12),
    ]


def test_names_are_those_of_the_module(cache: Path) -> None:
    text = "def f():\n    return 1\n"
    made = mutmut_set(subject_of({"src/a/__init__.py": text, "lib/b.py": text}), cache)
    assert list(by_name(made)) == ["a.x_f__mutmut_1", "lib.b.x_f__mutmut_1"]


def test_text_that_libcst_drops_is_kept(cache: Path) -> None:
    """It writes no form feed before the first statement, nor a backslash alone in its line."""
    source = "\x0cx = 1\n\\\ny = 2\n\x0c\nclass A:\n    \x0c\n    def f(self):\n        return 1\n"
    (made,) = mutmut_set(subject(source), cache).mutants
    assert made.source.decode() == source.replace("return 1", "return 2")
    twins = source.replace("class A", "class B") + source
    made_twice = mutmut_set(subject(twins.removeprefix("\x0c")), cache).mutants
    assert [m.line for m in made_twice] == [8, 16]


def test_an_unbalanced_pragma_stops_as_mutmut_does(cache: Path) -> None:
    source = "def f():\n    # pragma: no mutate start\n    return 1\n"
    with pytest.raises(ConfigError, match=r"mutmut 3\.8\.1 fails on pkg/mod\.py: PragmaParseError"):
        mutmut_set(subject(source), cache)


def test_a_release_that_does_not_exist_is_named(cache: Path) -> None:
    with pytest.raises(NotFoundError, match=r"mutmut 3\.99\.0 cannot be had"):
        mutmut_set(subject("x = 1\n"), cache, version="3.99.0")
    for version in ("../up", "3.6.0/../x", "newest"):
        with pytest.raises(ConfigError, match="is not a version"):
            mutmut_set(subject("x = 1\n"), cache, version=version)
    with pytest.raises(ConfigError, match=r"mutmut 2\.5\.1 is too old"):
        mutmut_set(subject("x = 1\n"), cache, version="2.5.1")


def test_a_dead_process_says_so_and_the_next_one_works(cache: Path, tmp_path: Path) -> None:
    close_processes()
    broken = tmp_path / "broken.py"
    broken.write_text("import sys; sys.exit('no libcst here')")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mutmut_engine, "SCRIPT", broken)
        with pytest.raises(InfraError, match="the process of mutmut has died: no libcst here"):
            mutmut_set(subject("x = 1\n"), cache)
    assert mutmut_set(subject("def f():\n    return 1\n"), cache).mutants


def answers(cache: Path) -> set[Path]:
    return set((cache / "mutmut").glob("*/*.json"))


def test_the_same_text_is_mutated_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = mutmut_set(subject(TRAPS), tmp_path)
    assert len(answers(tmp_path)) == 1
    other = mutmut_set(subject(TRAPS.replace("1", "2")), tmp_path)
    assert other.mutants != made.mutants
    assert len(answers(tmp_path)) == 2
    with monkeypatch.context() as patch:
        patch.setattr(mutmut_engine, "_process", None)
        assert mutmut_set(subject(TRAPS), tmp_path) == made
    script = tmp_path / "script.py"
    script.write_text(mutmut_engine.SCRIPT.read_text() + "# another one\n")
    monkeypatch.setattr(mutmut_engine, "SCRIPT", script)
    close_processes()
    assert mutmut_set(subject(TRAPS), tmp_path) == made
    assert len(answers(tmp_path)) == 3
    close_processes()


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="PragmaParseError"):
        mutmut_set(subject("def f():\n    # pragma: no mutate start\n    return 1\n"), tmp_path)
    assert not answers(tmp_path)
