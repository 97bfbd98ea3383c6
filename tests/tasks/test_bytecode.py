"""Our own code in the sandbox: compiled once for each interpreter and content, open to its user."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tasks import bytecode
from tasks.bytecode import SANDBOX_CODE, ensure_sandbox_code
from tasks.environments import find_interpreter


def code_of(version: str, cache: Path) -> Path:
    found = find_interpreter("3.11", cache)
    return ensure_sandbox_code(found.executable, version, cache)


def test_every_file_is_there_and_every_source_is_compiled(tmp_path: Path) -> None:
    place = code_of("3.11", tmp_path)
    ours = {p.relative_to(SANDBOX_CODE) for p in SANDBOX_CODE.rglob("*") if p.suffix != ".pyc"}
    copied = {p.relative_to(place) for p in place.rglob("*") if p.suffix != ".pyc"}
    assert {each for each in copied if each.name != "__pycache__"} == {
        each for each in ours if each.name != "__pycache__"
    }
    compiled = {p.parents[1] / p.name.split(".")[0] for p in place.rglob("*.pyc")}
    assert compiled == {p.with_suffix("") for p in place.rglob("*.py")}


def test_another_user_can_read_it_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        place = code_of("3.11", tmp_path)
    finally:
        os.umask(before)
    for path in (place, *place.rglob("*")):
        needed = 0o555 if path.is_dir() else 0o444
        assert stat.S_IMODE(path.stat().st_mode) & needed == needed


def test_other_code_and_other_interpreters_have_places_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    monkeypatch.setattr(bytecode, "SANDBOX_CODE", sources)
    places = set()
    for number, text in enumerate(("X = 1\n", "X = 2\n")):
        (sources / "module.py").write_text(text)
        ensure_sandbox_code.cache_clear()
        places |= {code_of(f"3.{minor}", tmp_path / "cache") for minor in (11, 12)}
        assert len(places) == 2 * (number + 1)
    ensure_sandbox_code.cache_clear()
