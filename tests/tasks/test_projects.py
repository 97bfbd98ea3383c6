"""Project subjects: trees with targets, tests and what they need."""

from pathlib import Path
from typing import Any

import pytest

from configs.errors import NotFoundError
from configs.schema import SubjectConfig
from tasks.packages import lock_lines
from tasks.records import Subject
from tasks.subjects import load_subjects
from tests.tasks.packaging_helpers import make_sdist, make_wheel, shelf
from tests.tasks.test_revisions import git

__all__ = ["shelf"]

TREE = {
    "src/demo/__init__.py": "",
    "src/demo/core.py": "def f(): return 1\n",
    "src/demo/extra.py": "",
    "tests/__init__.py": "",
    "tests/test_core.py": "def test(): ...\n",
    "tests/unit/test_more.py": "",
    "conftest.py": "",
    "test_root.py": "",
}


def load(base: Path, **fields: Any) -> Subject:
    (subject,) = load_subjects(SubjectConfig(**fields), base, base / "cache")
    return subject


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for path, text in TREE.items():
        (tmp_path / "demo" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "demo" / path).write_text(text)
    return tmp_path / "demo"


def paths(subject: Subject) -> set[str]:
    return {file.path for file in subject.files}


def test_a_path_is_read_with_its_usual_tests_and_root(tree: Path) -> None:
    subject = load(tree.parent, project="demo", targets=["src/demo/core.py"])
    assert (subject.name, subject.kind) == ("demo", "project")
    assert subject.import_roots == ("src",)
    assert subject.existing_tests == ("tests",)
    assert paths(subject) == set(TREE)
    assert subject.environment.requirements == lock_lines()


def test_without_a_tests_folder_the_test_files_at_the_top_are_the_tests(tree: Path) -> None:
    (tree / "tests").rename(tree / "examples")
    subject = load(tree.parent, project="demo", targets=["test_root.py"], name="other")
    assert (subject.name, subject.existing_tests) == ("other", ("test_root.py",))
    assert subject.import_roots == ("",)
    (tree / "examples").rename(tree / "test")
    assert load(tree.parent, project="demo", targets=["conftest.py"]).existing_tests == ("test",)


def test_tests_are_paths_globs_or_single_tests(tree: Path) -> None:
    def tests(*wanted: str) -> tuple[str, ...]:
        targets = ["src/demo/core.py"]
        return load(tree.parent, project="demo", targets=targets, tests=[*wanted]).existing_tests

    assert tests("tests/unit/", "test_root.py") == ("tests/unit", "test_root.py")
    assert tests("tests/test_*.py") == ("tests/test_core.py",)
    assert tests("**/test_*.py") == (
        "test_root.py",
        "tests/test_core.py",
        "tests/unit/test_more.py",
    )
    assert tests("tests/test_core.py::test") == ("tests/test_core.py::test",)


def test_targets_may_be_globs(tree: Path) -> None:
    subject = load(tree.parent, project="demo", targets=["src/demo/e*.py", "src/demo/core.py"])
    assert subject.targets == ("src/demo/extra.py", "src/demo/core.py")


def test_everything_that_is_not_there_is_told_with_what_is_near(tree: Path) -> None:
    with pytest.raises(NotFoundError) as caught:
        load(
            tree.parent,
            project="demo",
            targets=["demo/core.py", "src/demo/cor.py", "setup/*.py"],
            tests=["tests/test_cor.py", "spec"],
        )
    starts = [
        "subject demo: target 'demo/core.py' is not in its tree; did you mean src/demo/core.py?",
        "subject demo: target 'src/demo/cor.py' is not in its tree; did you mean src/demo/core.py",
        "subject demo: target 'setup/*.py' is not in its tree",
        "subject demo: tests 'tests/test_cor.py' are not in its tree; did you mean tests/test_core",
        "subject demo: tests 'spec' are not in its tree",
    ]
    lines = str(caught.value).splitlines()
    assert [line.startswith(start) for line, start in zip(lines, starts, strict=True)] == [True] * 5
    with pytest.raises(NotFoundError, match="nowhere: no such folder"):
        load(tree.parent, project="nowhere", targets=["a.py"])


def test_stripped_tests_are_gone_and_no_longer_listed(tree: Path) -> None:
    fields: dict[str, Any] = {"project": "demo", "existing_tests": "strip"}
    subject = load(tree.parent, targets=["src/demo/core.py"], **fields)
    assert subject.existing_tests == ()
    assert paths(subject) == {path for path in TREE if not path.startswith("tests/")}
    kept = load(tree.parent, project="demo", targets=["src/demo/core.py"])
    assert kept.subject_id != subject.subject_id
    with pytest.raises(NotFoundError, match=r"'tests/test_core\.py' is among the stripped"):
        load(tree.parent, targets=["tests/test_core.py"], **fields)


def test_needs_that_stand_in_the_settings_are_installed(shelf: Path, tree: Path) -> None:
    make_wheel(shelf, {"killgrid_demo.py": ""})
    for name in [line.split("==")[0] for line in lock_lines()]:
        version = dict(line.split("==") for line in lock_lines())[name]
        make_wheel(shelf, {f"{name}_.py": ""}, name=name, version=version)
    targets = ["src/demo/core.py"]
    for file, text in {
        "setup.cfg": "[options]\ninstall_requires =\n    # note\n    killgrid-demo>=1\n",
        "pyproject.toml": "[project]\nname = 'demo'\ndependencies = ['killgrid-demo>=1']\n",
    }.items():
        (tree / file).write_text(text)
        pins = load(tree.parent, project="demo", targets=targets).environment.requirements
        assert "killgrid-demo==1.0" in pins, file
        (tree / file).unlink()
    (tree / "pyproject.toml").write_text("[project\n")
    with pytest.raises(NotFoundError, match="project demo: its settings cannot be read"):
        load(tree.parent, project="demo", targets=targets)


def test_a_released_package_comes_as_its_archive_beside_its_wheel(
    shelf: Path, tmp_path: Path
) -> None:
    for line in lock_lines():
        name, version = line.split("==")
        make_wheel(shelf, {f"{name}_.py": ""}, name=name, version=version)
    make_sdist(shelf, {"killgrid_demo/core.py": "", "tests/test_core.py": "", "setup.py": "1/0"})
    make_wheel(shelf, {"killgrid_demo/core.py": ""})
    project = {"pypi": "killgrid-demo==1.0"}
    subject = load(tmp_path, project=project, targets=["killgrid_demo/core.py"])
    assert (subject.name, subject.existing_tests) == ("killgrid-demo", ("tests",))
    assert "killgrid-demo==1.0" in subject.environment.requirements
    # The whole of it is in the cache now: a run is resumed without the index.
    for path in shelf.iterdir():
        path.unlink()
    assert load(tmp_path, project=project, targets=["killgrid_demo/core.py"]) == subject


def test_a_release_without_wheel_is_a_subject_all_the_same(shelf: Path, tmp_path: Path) -> None:
    make_sdist(shelf, {"killgrid_demo/core.py": "", "setup.py": "1/0"})
    project = {"pypi": "killgrid-demo==1.0"}
    subject = load(tmp_path, project=project, targets=["killgrid_demo/core.py"])
    assert subject.environment.requirements == lock_lines()


def test_a_revision_is_a_project_too(tree: Path) -> None:
    git(tree, "init", "--quiet")
    git(tree, "add", ".")
    git(tree, "commit", "--quiet", "-m", "one")
    project = {"git": "demo", "rev": git(tree, "rev-parse", "HEAD")}
    (tree / "src/demo/core.py").write_text("edited since\n")
    subject = load(tree.parent, project=project, targets=["src/demo/core.py"])
    assert (subject.name, paths(subject)) == ("demo", set(TREE))
    assert subject.source("src/demo/core.py").decode() == TREE["src/demo/core.py"]


def test_idna_comes_from_the_package_index(tmp_path: Path) -> None:
    project, targets = {"pypi": "idna==3.16"}, ["idna/cli.py"]
    subject = load(tmp_path, project=project, targets=targets, tests=["tests/test_idna_cli.py"])
    assert "idna==3.16" in subject.environment.requirements
    assert b"def main(" in subject.source("idna/cli.py")
