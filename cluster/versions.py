"""Owns the hash by which driver and workers know that they run the same code."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from tasks.records import sha256

ROOT = Path(__file__).parents[1]
CODE = ("configs", "tasks", "cluster")


def code_hash() -> str:
    """Hash over the source files that workers run; the same checkout gives the same."""
    files = sorted(path for name in CODE for path in (ROOT / name).rglob("*.py"))
    lines = [f"{path.relative_to(ROOT)} {sha256(path.read_bytes())}" for path in files]
    return sha256("\n".join(lines).encode())[:12]


@lru_cache(maxsize=1)
def own_code() -> str:
    """The hash as it was when this process first asked."""
    return code_hash()
