"""Source archives: fetched once, verified, read without leaving their folder."""

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from configs.errors import InfraError, NotFoundError
from tasks import archives, folders
from tasks.archives import fetch_archive, read_archive
from tasks.packages import find_release
from tests.tasks.packaging_helpers import make_sdist, make_tar, make_wheel, shelf

__all__ = ["shelf"]


def test_top_folder_is_stripped_and_bytecode_left_out(tmp_path: Path) -> None:
    texts = {"p-1/a.py": "A", "p-1/run.sh": "R", "p-1/__pycache__/a.pyc": "B", "p-1/x/b.pyc": "B"}
    files = read_archive(make_tar(tmp_path / "p.tar.gz", texts), "p")
    assert [(f.path, f.data, f.executable) for f in files] == [
        ("a.py", b"A", False),
        ("run.sh", b"R", True),
    ]


def test_files_beside_each_other_keep_their_paths(tmp_path: Path) -> None:
    files = read_archive(make_tar(tmp_path / "p.tar", {"a/x.py": "1", "b/y.py": "2"}), "p")
    assert [file.path for file in files] == ["a/x.py", "b/y.py"]


def test_links_become_what_they_lead_to_inside_and_nothing_outside(tmp_path: Path) -> None:
    links = {
        "p/one": "sub/real.py",
        "p/sub/two": "../one",
        "p/out": "../../etc/passwd",
        "p/absolute": "/etc/passwd",
        "p/loop": "loop",
    }
    tar = make_tar(tmp_path / "p.tar.gz", {"p/sub/real.py": "R"}, links)
    assert {f.path: f.data for f in read_archive(tar, "p")} == {
        "one": b"R",
        "sub/real.py": b"R",
        "sub/two": b"R",
    }


@pytest.mark.parametrize("name", ["../evil.py", "p/../../evil.py", "/etc/evil.py"])
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_a_path_that_escapes_is_refused(tmp_path: Path, name: str, kind: str) -> None:
    path = tmp_path / f"p.{kind}"
    if kind == "tar":
        make_tar(path, {"p/a.py": "A", name: "E"})
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(name, "E")
    with pytest.raises(NotFoundError, match=r"^demo: .*evil\.py' would leave"):
        read_archive(path, "demo")


def test_zip_archives_are_read_too(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        archive.writestr("p-1/pkg/a.py", "A")
        archive.writestr("p-1/pkg/", "")
    assert [file.path for file in read_archive(tmp_path / "p.zip", "p")] == ["pkg/a.py"]


@pytest.mark.parametrize("keep", [0, 0.2, 0.5])
def test_a_cut_archive_is_one_line(tmp_path: Path, keep: float) -> None:
    path = make_tar(tmp_path / "p.tar.gz", {"p/a.py": "A" * 5000, "p/b.py": "B" * 5000})
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep)])
    with pytest.raises(NotFoundError, match=r"^demo: not a readable source archive: .+$"):
        read_archive(path, "demo")


def test_an_archive_that_unpacks_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "SIZE_CAP_MB", 1)
    bomb = make_tar(tmp_path / "p.tar.gz", {"p/big.txt": "0" * (3 << 20)})
    assert bomb.stat().st_size < 100_000
    with pytest.raises(NotFoundError, match=r"more than 1 MiB .* p/big\.txt \(3\.0 MiB\)"):
        read_archive(bomb, "demo")


def test_an_archive_is_fetched_once_and_its_hash_verified(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "BACKOFF_S", 0.001)
    sdist = make_sdist(shelf, {"killgrid_demo/__init__.py": "X = 1\n"})
    release = find_release("killgrid-demo==1.0", "3.11", tmp_path)
    assert not release.has_wheel
    first = fetch_archive(release, tmp_path)
    sdist.unlink()
    assert fetch_archive(release, tmp_path) == first
    assert [f.path for f in read_archive(first, "d")] == ["PKG-INFO", "killgrid_demo/__init__.py"]
    changed = replace(release, sha256="0" * 64, url=first.as_uri())
    with pytest.raises(InfraError, match=r"its sha256 is [0-9a-f]{64}, announced was 0{64}"):
        fetch_archive(changed, tmp_path)
    gone = replace(release, sha256="1" * 64)
    with pytest.raises(InfraError, match=r"cannot be fetched: .*No such file"):
        fetch_archive(gone, tmp_path)
    assert [path.name for path in (tmp_path / "archives").iterdir() if path.suffix == ""] == [
        release.sha256
    ]


def test_a_release_of_wheels_only_is_no_subject(shelf: Path, tmp_path: Path) -> None:
    make_wheel(shelf, {"killgrid_demo/__init__.py": ""})
    with pytest.raises(
        NotFoundError, match=r"killgrid-demo==1\.0: it was released without a source"
    ):
        find_release("killgrid-demo==1.0", "3.11", tmp_path)
