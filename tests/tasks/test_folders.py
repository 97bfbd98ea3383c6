"""Folders are read without what tools leave behind, and never beyond themselves."""

from pathlib import Path

import pytest

from configs.errors import NotFoundError
from tasks import folders
from tasks.folders import read_folder


def fill(top: Path, *paths: str) -> Path:
    for path in paths:
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(path)
    return top


def paths(top: Path) -> list[str]:
    return [file.path for file in read_folder(top)]


def test_litter_is_left_out(tmp_path: Path) -> None:
    kept = ["README", "docs/build/x.md", "pkg/.env", "pkg/__init__.py", "pkg/dist/a.py"]
    fill(tmp_path, *kept, "pkg/__pycache__/a.cpython-311.pyc", "pkg/b.pyc", ".git/HEAD")
    fill(tmp_path, "env/pyvenv.cfg", "env/lib/x.py", "node_modules/a/i.js", ".venv/bin/python")
    fill(tmp_path, "build/lib/a.py", "dist/p.whl", "cache/CACHEDIR.TAG", "cache/big", ".tox/a")
    assert paths(tmp_path) == kept


def test_a_package_named_build_is_kept(tmp_path: Path) -> None:
    assert paths(fill(tmp_path, "build/__init__.py", "build/env.py")) == [
        "build/__init__.py",
        "build/env.py",
    ]


def test_a_results_folder_inside_does_not_change_the_tree(tmp_path: Path) -> None:
    before = read_folder(fill(tmp_path, "a.py"))
    store = tmp_path / "results" / "demo-12345678"
    fill(store, "mutants/u.parquet")
    (store / "manifest.json").write_text('{"experiment_id": "demo-12345678"}')
    assert read_folder(tmp_path) == before


def test_links_are_followed_inside_only(tmp_path: Path) -> None:
    top = fill(tmp_path / "top", "real/a.py", "sub/x")
    fill(tmp_path, "secret/key")
    (top / "file.py").symlink_to("real/a.py")
    (top / "folder").symlink_to("real")
    (top / "loop").symlink_to(".")
    (top / "sub/up").symlink_to("..")
    (top / "broken").symlink_to("nothing")
    (top / "out").symlink_to(tmp_path / "secret")
    (top / "out.key").symlink_to(tmp_path / "secret/key")
    assert paths(top) == ["file.py", "folder/a.py", "real/a.py", "sub/x"]
    assert {f.data for f in read_folder(top) if f.path.endswith("a.py")} == {b"real/a.py"}


def test_odd_names_and_modes_are_kept(tmp_path: Path) -> None:
    fill(tmp_path, "a b/ü\n.py").joinpath("a b/ü\n.py").chmod(0o700)
    (file,) = read_folder(tmp_path)
    assert (file.path, file.executable) == ("a b/ü\n.py", True)


def test_pipes_and_sockets_are_not_read(tmp_path: Path) -> None:
    import os

    os.mkfifo(fill(tmp_path, "a.py") / "pipe")
    assert paths(tmp_path) == ["a.py"]


def test_a_tree_too_large_names_its_largest_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "SIZE_CAP_MB", 1)
    (tmp_path / "data.bin").write_bytes(bytes(2 << 20))
    with pytest.raises(NotFoundError, match=r"more than 1 MiB of files.*data\.bin \(2\.0 MiB\)"):
        read_folder(tmp_path)


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no such folder"):
        read_folder(tmp_path / "nowhere")
