"""Git revisions are read as stored, from a repository that is never changed."""

import hashlib
import subprocess
from pathlib import Path

import pytest

from configs.errors import InfraError, NotFoundError
from tasks.revisions import read_revision


def git(folder: Path, *arguments: str) -> str:
    names = ["-c", "user.name=t", "-c", "user.email=t@t.example", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(folder), *names, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "tests").mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "a.py").write_bytes(b"A = 1\r\n")
    (folder / "run.sh").write_text("true\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "tests/test_a.py").write_text("T\n")
    (folder / "tests/b.py").symlink_to("../a.py")
    (folder / "out.py").symlink_to("/etc/passwd")
    (folder / "stale.pyc").write_text("B")
    # git archive and checkout would drop the tests and turn the line ends.
    (folder / ".gitattributes").write_text("tests export-ignore\n*.py text eol=lf -text\n")
    git(folder, "add", "--force", ".")
    git(folder, "commit", "--quiet", "-m", "one")
    return folder


def snapshot(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(f"{path}{path.lstat().st_mtime_ns}".encode())
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def test_a_revision_is_read_raw_and_the_repository_left_alone(
    repository: Path, tmp_path: Path
) -> None:
    revision = git(repository, "rev-parse", "HEAD")
    (repository / "a.py").write_text("edited since, and not committed\n")
    (repository / ".git/hooks/post-checkout").write_text("#!/bin/sh\ntouch /tmp/killgrid-hook\n")
    (repository / ".git/hooks/post-checkout").chmod(0o755)
    before = snapshot(repository)
    files = {f.path: f for f in read_revision("project", revision, tmp_path, tmp_path / "cache")}
    assert snapshot(repository) == before
    assert sorted(files) == [".gitattributes", "a.py", "run.sh", "tests/b.py", "tests/test_a.py"]
    assert files["a.py"].data == files["tests/b.py"].data == b"A = 1\r\n"
    assert files["run.sh"].executable
    assert not files["a.py"].executable
    assert not Path("/tmp/killgrid-hook").exists()


def test_a_revision_in_the_cache_needs_no_repository(repository: Path, tmp_path: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    (repository / "a.py").write_text("A = 2\n")
    git(repository, "commit", "--quiet", "-am", "two")
    place = repository.as_uri()
    old = read_revision(place, first, tmp_path, tmp_path / "cache")
    new = read_revision(place, git(repository, "rev-parse", "HEAD"), tmp_path, tmp_path / "cache")
    assert {f.path for f in old} == {f.path for f in new}
    assert old != new
    repository.rename(tmp_path / "elsewhere")
    assert read_revision(place, first, tmp_path, tmp_path / "cache") == old


def test_what_cannot_be_had_is_one_line(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"^git .*project: no commit 0{40} can be reached"):
        read_revision("project", "0" * 40, tmp_path, tmp_path / "cache")
    with pytest.raises(NotFoundError, match=r"^git nowhere: 'nowhere' does not appear"):
        read_revision("nowhere", "0" * 40, tmp_path, tmp_path / "cache")
    with pytest.raises(InfraError, match=r"^git http://127\.0\.0\.1:9/x cannot be fetched: .+$"):
        read_revision("http://127.0.0.1:9/x", "0" * 40, tmp_path, tmp_path / "cache")
