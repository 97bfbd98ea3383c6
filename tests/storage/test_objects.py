"""What is particular to a folder; tests/storage/test_store_contract.py has the rest."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from configs.errors import ConfigError, InfraError, NotFoundError
from storage.objects import LocalStore, open_store
from tasks.records import sha256


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path / "store")


def test_an_object_is_a_file_with_its_bytes(store: LocalStore) -> None:
    store.put_if_absent("a/b.bin", b"\x00\xff")
    assert Path(store.object_uri("a/b.bin")).read_bytes() == b"\x00\xff"


def test_leftovers_of_a_killed_writer_are_no_objects(store: LocalStore) -> None:
    store.put_if_absent("x/a", b"")
    (store.root / "x" / ".0011.tmp").write_bytes(b"half")
    assert store.list("") == ["x/a"]


def test_trouble_of_the_file_system_says_where(store: LocalStore) -> None:
    store.put_if_absent("file", b"")
    with pytest.raises(InfraError, match=r"cannot write .*file/below: (Not a dir|File exists)"):
        store.put_if_absent("file/below", b"")


WRITE_TOO_MUCH = """
import resource, sys
from configs.errors import InfraError
from storage.objects import open_store
store = open_store(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    store.put_if_absent("a/large", bytes(100_000))
except InfraError as error:
    print(error)
"""


def test_a_full_disk_is_trouble_on_our_side_and_leaves_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITE_TOO_MUCH, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"cannot write {tmp_path}/a/large: File too large\n"
    assert list((tmp_path / "a").iterdir()) == []


WRITE_FOR_EVER = """
import itertools, sys
from storage.objects import open_store
from tasks.records import sha256
store = open_store(sys.argv[1])
for number in itertools.count():
    data = str(number).encode() * 50_000
    store.put_if_absent(sha256(data), data)
"""


def test_a_writer_killed_at_any_moment_leaves_whole_objects_only(tmp_path: Path) -> None:
    writer = subprocess.Popen([sys.executable, "-c", WRITE_FOR_EVER, str(tmp_path)])
    store = LocalStore(tmp_path)
    while len(store.list("")) < 5:
        time.sleep(0.01)
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    assert all(sha256(store.get(key)) == key for key in store.list(""))


def test_paths_and_file_uris_name_the_same_store(tmp_path: Path) -> None:
    folder = tmp_path / "my results"
    folder.mkdir()
    uri = f"file://{tmp_path}/my%20results"
    assert open_store(uri).uri == open_store(str(folder), must_exist=True).uri == str(folder)


def test_other_kinds_of_stores_are_refused() -> None:
    with pytest.raises(ConfigError, match="unknown kind gs://"):
        open_store("gs://bucket")


def test_a_store_that_must_exist_is_looked_for(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no such folder"):
        open_store(str(tmp_path / "nowhere"), must_exist=True)
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="not a folder"):
        open_store(str(tmp_path / "file"))
