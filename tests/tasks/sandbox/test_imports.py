"""What runs inside the sandbox imports the standard library, pytest, and its own files alone."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import tasks.sandbox

FILES = sorted(Path(tasks.sandbox.__file__).parent.glob("*.py"))
ALLOWED = {*sys.stdlib_module_names, "pytest", "_pytest", "__future__"}


def imported(path: Path) -> list[str]:
    """Top-level names that a file imports absolutely."""
    names = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name.partition(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.append((node.module or "").partition(".")[0])
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 1, f"{path.name} reaches out of the folder"
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_sandbox_file_imports_nothing_of_ours_or_of_others(path: Path) -> None:
    assert set(imported(path)) <= ALLOWED


def test_the_check_would_notice_an_import(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("import numpy\nfrom configs import errors\n")
    assert set(imported(bad)) - ALLOWED == {"numpy", "configs"}
