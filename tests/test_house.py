"""The house: which file owns which outside library, and how long a file may be."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("configs", "tasks", "storage", "cluster")
# Each of these may be imported by files whose path begins so, and by no other.
OWNERS = {
    "boto3": "storage/s3",
    "botocore": "storage/s3",
    "duckdb": "storage/database.py",
    "genai_prices": "tasks/prices.py",
    "httpx2": "tasks/http.py",
    "jinja2": "tasks/prompts.py",
    "libcst": "tasks/mutmut_script.py",
    "markdown_it": "tasks/extraction.py",
    "mutmut": "tasks/mutmut_",
    "ray": "cluster/",
    "click": "cluster/",
}
MOST_LINES = 250


def files() -> list[Path]:
    found = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return [path for path in found if "problems" not in path.parts]


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("library", OWNERS)
def test_an_outside_library_is_imported_where_it_lives_only(library: str) -> None:
    users = [str(p.relative_to(ROOT)) for p in files() if library in set(imported(p))]
    assert users
    assert [user for user in users if not user.startswith(OWNERS[library])] == []


def test_no_file_outgrows_its_noun() -> None:
    lines = {str(p.relative_to(ROOT)): p.read_text("utf-8").count("\n") for p in files()}
    assert {path: count for path, count in lines.items() if count > MOST_LINES} == {}
