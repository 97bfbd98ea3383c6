"""Ready-made suites, from wherever a writer names."""

import ast
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from configs.errors import ConfigError, NotFoundError
from configs.schema import ArmConfig
from tasks.problems import load_problem_set
from tasks.records import SourceFile, Subject, Suite
from tasks.subjects import identified
from tasks.writers import make_suite, suite_file, unused_lines, write_suites


def arm(subjects: tuple[str, ...] = (), **writer: Any) -> ArmConfig:
    return ArmConfig(name="a", writer=writer, subjects=list(subjects))


def of(name: str, *paths: str, tests: tuple[str, ...] = ()) -> Subject:
    files = tuple(SourceFile(path, b"") for path in ("solution.py", *paths))
    return identified(Subject("", name, "function", files, ("solution.py",), existing_tests=tests))


def suites(base: Path, *lines: object) -> ArmConfig:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (base / "suites.jsonl").write_text("\n".join(texts))
    return arm(files="suites.jsonl")


def written(suite: Suite | None) -> dict[str, bytes]:
    assert suite is not None
    return {file.path: file.data for file in suite.files}


def test_existing_tests_are_arguments_and_no_files(tmp_path: Path) -> None:
    subject = of("p", "tests/test_a.py", tests=("tests",))
    suite = write_suites(arm(files="existing"), subject, 0, tmp_path)
    assert suite is not None
    assert (suite.files, suite.paths, suite.origin) == ((), ("tests",), "existing")
    assert write_suites(arm(files="existing"), of("p"), 0, tmp_path) is None


def test_globs_look_in_the_subjects_tree(tmp_path: Path) -> None:
    subject = of("p", "tests/test_a.py", "tests/sub/test_b.py", "t.py")
    for patterns, paths in {
        ("tests/*.py",): ("tests/test_a.py",),
        ("**/test_*.py",): ("tests/test_a.py", "tests/sub/test_b.py"),
        ("tests/", "t.py::test_x"): ("tests", "t.py::test_x"),
    }.items():
        suite = write_suites(arm(files=list(patterns)), subject, 0, tmp_path)
        assert suite is not None
        assert suite.paths == paths
    assert write_suites(arm(files=["spec/*.py"]), subject, 0, tmp_path) is None


def test_a_folder_holds_suites_by_subject_name(tmp_path: Path) -> None:
    folder = tmp_path / "suites"
    for path in ("one.py", "test_two.py", "three/test_x.py", "three/conftest.py", "three/d.txt"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)
    (folder / "four").mkdir()
    (folder / "four/checks.py").write_text("")
    writer = arm(files="suites")
    one = write_suites(writer, of("one"), 0, tmp_path)
    assert written(one) == {"test_one.py": b"one.py"}
    assert written(write_suites(writer, of("two"), 0, tmp_path)) == {"test_two.py": b"test_two.py"}
    three = write_suites(writer, of("three"), 0, tmp_path)
    assert set(written(three)) == {"test_x.py", "conftest.py", "d.txt"}
    assert three is not None
    assert three.paths == ("test_x.py",)
    four = write_suites(writer, of("four"), 0, tmp_path)
    assert four is not None
    assert four.paths == ("checks.py",)
    assert write_suites(writer, of("five"), 0, tmp_path) is None
    with pytest.raises(NotFoundError, match=r"arm a: .*neither a folder nor a \.jsonl file"):
        write_suites(arm(files="nowhere"), of("one"), 0, tmp_path)


def test_a_suite_may_not_replace_the_code_under_test(tmp_path: Path) -> None:
    (tmp_path / "suites/p").mkdir(parents=True)
    (tmp_path / "suites/p/solution.py").write_text("")
    with pytest.raises(ConfigError, match=r"arm a: .* replace the target 'solution\.py'"):
        write_suites(arm(files="suites"), of("p"), 0, tmp_path)


def test_a_jsonl_file_holds_suites_by_subject_and_replicate(tmp_path: Path) -> None:
    subject = of("HumanEval/0")
    writer = suites(
        tmp_path,
        {"subject": "HumanEval/0", "replicate": 0, "source": "zero", "model": "m"},
        {"subject": subject.subject_id, "replicate": 1, "source": "one", "condition": "c"},
        {"subject": "other", "source": "other"},
    )
    zero, one, two = (write_suites(writer, subject, n, tmp_path) for n in range(3))
    assert written(zero) == {"test_HumanEval_0.py": b"zero"}
    assert written(one) == {"test_HumanEval_0.py": b"one"}
    assert two is None
    assert zero is not None
    assert one is not None
    assert (zero.model, zero.replicate, one.condition, one.replicate) == ("m", 0, "c", 1)
    assert zero.suite_id != one.suite_id
    assert written(write_suites(writer, of("other"), 0, tmp_path)) == {"test_other.py": b"other"}


def test_all_bad_lines_of_a_suites_file_are_told_together(tmp_path: Path) -> None:
    good = {"subject": "p", "replicate": 0, "source": ""}
    writer = suites(
        tmp_path,
        good,
        '{"subject": ',
        {"subject": "p"},
        {**good, "replicate": True},
        {**good, "replicate": -1},
        good,
        {**good, "replicate": "1"},
    )
    with pytest.raises(ConfigError) as caught:
        write_suites(writer, of("p"), 0, tmp_path)
    file = tmp_path / "suites.jsonl"
    starts = [
        f"{file}:2: not JSON: ",
        f"{file}:3: key 'source' is missing",
        f"{file}:4: key 'replicate' is not a whole number (and 1 more line",
        f"{file}:5: key 'replicate' is below 0",
        f"{file}:6: a suite of subject 'p', replicate 0, is at {file}:1 already",
    ]
    assert len(caught.value.problems) == len(starts)
    for problem, start in zip(caught.value.problems, starts, strict=True):
        assert problem.startswith(start)
    with pytest.raises(NotFoundError, match=r"none\.jsonl: No such file"):
        write_suites(arm(files="none.jsonl"), of("p"), 0, tmp_path)


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    writer = suites(tmp_path, {"subject": "p", "source": "first"})
    assert written(write_suites(writer, of("p"), 0, tmp_path)) == {"test_p.py": b"first"}
    suites(tmp_path, {"subject": "p", "source": "second"})
    assert written(write_suites(writer, of("p"), 0, tmp_path)) == {"test_p.py": b"second"}


@pytest.mark.parametrize("source", ["x = '\ud800'\n", "x = '\0'\n"])
def test_text_that_no_file_can_hold_is_a_syntax_error_of_the_suite(
    tmp_path: Path, source: str
) -> None:
    writer = suites(tmp_path, {"subject": "p", "source": source})
    suite = write_suites(writer, of("p"), 0, tmp_path)
    (data,) = written(suite).values()
    with pytest.raises((SyntaxError, ValueError)):
        ast.parse(data)
    assert suite is not None
    assert suite.source.encode("utf-8", "surrogateescape") == data
    assert suite.source_sha256


def test_a_problems_suites_go_with_that_problem_alone(tmp_path: Path) -> None:
    problem = load_problem_set("green_tests", ["slugify"])[0]
    for kind in ("reference", "weak", "locking"):
        suite = write_suites(arm(problem_suite=kind), problem.subject, 0, tmp_path)
        assert written(suite) == {"test_slugify.py": problem.suite(kind)}
    configured = identified(replace(problem.subject, pytest_args=("-x",)))
    assert write_suites(arm(problem_suite="weak"), configured, 0, tmp_path) is not None
    assert write_suites(arm(problem_suite="weak"), of("slugify"), 0, tmp_path) is None


def test_what_does_not_differ_from_draw_to_draw_has_one_replicate(tmp_path: Path) -> None:
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites/p.py").write_text("")
    subject = of("p", tests=("solution.py",))
    writers = ({"files": "existing"}, {"files": ["*.py"]}, {"files": "suites"})
    for writer in writers:
        assert write_suites(arm(**writer), subject, 0, tmp_path) is not None
        assert write_suites(arm(**writer), subject, 1, tmp_path) is None


def test_an_arm_writes_for_its_subjects_only(tmp_path: Path) -> None:
    (tmp_path / "suites").mkdir()
    for name in ("paginate", "slugify"):
        (tmp_path / f"suites/{name}.py").write_text("")
    writer = arm(("pag*",), files="suites")
    assert write_suites(writer, of("paginate"), 0, tmp_path) is not None
    assert write_suites(writer, of("slugify"), 0, tmp_path) is None


def test_the_id_holds_subject_arm_replicate_round_and_content() -> None:
    file = SourceFile("test_p.py", b"x")
    first = make_suite("a", of("p"), 0, (file,), ("test_p.py",))
    assert first == make_suite("a", of("p"), 0, (file,), ("test_p.py",))
    others = [
        make_suite("b", of("p"), 0, (file,), ("test_p.py",)),
        make_suite("a", of("q"), 0, (file,), ("test_p.py",)),
        make_suite("a", of("p"), 1, (file,), ("test_p.py",)),
        make_suite("a", of("p"), 0, (file,), ("test_p.py",), round=1),
        make_suite("a", of("p"), 0, (replace(file, data=b"y"),), ("test_p.py",)),
        make_suite("a", of("p"), 0, (), ("test_p.py",)),
    ]
    assert len({first.suite_id, *(each.suite_id for each in others)}) == 7
    assert all(len(each.suite_id) == 14 for each in others)


def test_a_suites_file_hides_no_file_of_the_tree() -> None:
    assert suite_file(of("more-itertools")) == "test_more_itertools.py"
    assert suite_file(of("p", "test_p.py")) == "test_p_suite.py"


def test_lines_that_no_cell_asks_for_are_noted(tmp_path: Path) -> None:
    writer = suites(
        tmp_path,
        {"subject": "slugify", "replicate": 0, "source": ""},
        {"subject": "slugify", "replicate": 1, "source": ""},
        {"subject": "sluggify", "replicate": 0, "source": ""},
    )
    assert unused_lines(writer, [of("slugify")], 1, tmp_path) == [
        "arm a: suites.jsonl: no subject 'sluggify'; did you mean slugify?",
        "arm a: suites.jsonl: 1 suites of replicates from 1 on",
    ]
    assert unused_lines(arm(files="existing"), [of("slugify")], 1, tmp_path) == []
