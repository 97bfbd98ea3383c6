"""Under which name a file of a subject is imported."""

from __future__ import annotations

from pathlib import PurePosixPath

from tasks.records import Subject


def module_of(subject: Subject, target: str) -> tuple[str, str]:
    """(import root, dotted name) of a target; the longest import root that holds it counts."""
    path = PurePosixPath(target)
    roots = [root for root in subject.import_roots if path.is_relative_to(root)]
    root = max(roots, key=len, default="")
    parts = path.relative_to(root).with_suffix("").parts
    return root, ".".join(parts[:-1] if parts[-1] == "__init__" and parts[1:] else parts)
