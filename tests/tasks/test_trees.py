"""Trees on disk: exactly the subject's files, for good."""

import os
import stat
import threading
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from configs.errors import InfraError
from tasks import trees
from tasks.records import SourceFile, Subject
from tasks.trees import OWNER, ensure_tree

FILES = (
    SourceFile("pkg/__init__.py", b"A = 1\r\n"),
    SourceFile("run.sh", b"true\n", executable=True),
    SourceFile("data/\udce9 \u00fc\n.bin", bytes(range(256))),
    SourceFile("empty", b""),
)
SUBJECT = Subject("demo-1", "demo", "project", FILES, ("pkg/__init__.py",))


@pytest.fixture(autouse=True)
def _fresh_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "_verified", set())


def held(tree: Path) -> dict[str, bytes]:
    return {p.relative_to(tree).as_posix(): p.read_bytes() for p in tree.rglob("*") if p.is_file()}


def test_a_tree_holds_the_files_with_plain_modes(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        tree = ensure_tree(SUBJECT, tmp_path)
    finally:
        os.umask(before)
    assert tree == tmp_path / "trees" / SUBJECT.tree_sha256
    assert held(tree) == {file.path: file.data for file in FILES}
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in (tree, *tree.rglob("*"))}
    assert {modes[tree.name], modes["pkg"], modes["data"], modes["run.sh"]} == {0o755}
    assert {modes["__init__.py"], modes["empty"]} == {0o644}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_roots_trees_belong_to_the_sandbox_user(tmp_path: Path) -> None:
    tree = ensure_tree(SUBJECT, tmp_path)
    owners = {(p.stat().st_uid, p.stat().st_gid) for p in (tree, *tree.rglob("*"))}
    assert owners == {(OWNER, OWNER)}


def test_equal_trees_are_written_once(tmp_path: Path) -> None:
    first = ensure_tree(SUBJECT, tmp_path)
    inode = first.stat().st_ino
    turned = replace(SUBJECT, files=FILES[::-1], subject_id="demo-2", targets=("run.sh",))
    assert ensure_tree(turned, tmp_path).stat().st_ino == inode
    other = replace(SUBJECT, files=FILES[:-1])
    assert ensure_tree(other, tmp_path) != first


@pytest.mark.parametrize("damage", ["change", "add", "remove", "mode", "link", "marker", "all"])
def test_a_damaged_tree_is_found_and_written_anew(
    tmp_path: Path, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = ensure_tree(SUBJECT, tmp_path)
    file = tree / "pkg/__init__.py"
    match damage:
        case "change":
            file.write_bytes(b"A = 2\r\n")
        case "add":
            (tree / "conftest.py").touch()
        case "remove":
            (tree / "empty").unlink()
        case "mode":
            (tree / "run.sh").chmod(0o644)
        case "link":
            (tree / "empty").unlink()
            (tree / "empty").symlink_to("/dev/null")
        case "marker":
            tree.with_name(tree.name + ".ready").unlink()
        case "all":
            tree.rename(tmp_path / "gone")
    monkeypatch.setattr(trees, "_verified", set())
    again = ensure_tree(SUBJECT, tmp_path)
    assert held(again) == {file.path: file.data for file in FILES}
    assert not (again / "empty").is_symlink()
    assert [p.name for p in again.parent.iterdir() if p.name.startswith(".")] == []


def test_an_interrupted_writer_leaves_no_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        with pytest.raises(InfraError, match=r"cannot be written.*No space left"):
            ensure_tree(SUBJECT, tmp_path)
    assert not (tmp_path / "trees" / SUBJECT.tree_sha256).exists()
    assert held(ensure_tree(SUBJECT, tmp_path)) == {file.path: file.data for file in FILES}


@pytest.mark.parametrize("path", ["../out", "/tmp/out", "a/../../out", "."])
def test_a_path_outside_is_refused(tmp_path: Path, path: str) -> None:
    subject = replace(SUBJECT, files=(SourceFile(path, b"x"),))
    with pytest.raises(InfraError, match="not a path inside a tree"):
        ensure_tree(subject, tmp_path / "cache")
    assert not (tmp_path / "out").exists()


def _write(cache: str) -> int:
    return ensure_tree(SUBJECT, Path(cache)).stat().st_ino


def test_concurrent_callers_write_it_once(tmp_path: Path) -> None:
    with ProcessPoolExecutor(3) as pool:
        assert len(set(pool.map(_write, [str(tmp_path / "p")] * 6))) == 1
    seen: set[int] = set()
    threads = [
        threading.Thread(target=lambda: seen.add(_write(str(tmp_path / "t")))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 1
