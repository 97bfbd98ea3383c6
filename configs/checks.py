"""Things a config names that must exist: files beside it, built-in problem sets and prompts.

Works on raw values, so that what is missing is reported together with every other mistake.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from configs.messages import nearest
from configs.places import Loc
from configs.prompt_files import fault_of

PROBLEMS = Path(__file__).parent / "problems"


def problem_sets() -> list[str]:
    """Names of the built-in problem sets."""
    return sorted(p.name for p in PROBLEMS.iterdir() if p.is_dir() and p.name[0] not in "._")


def missing(data: Any, base: Path) -> Iterator[tuple[Loc, str]]:
    """What the config names and nobody has: (place, message)."""
    if not isinstance(data, dict):
        return
    yield from _mutants(data, (), base)
    for loc, subject in _items(data, "subjects"):
        yield from _problems(subject.get("problems"), loc)
        yield from _file(subject.get("functions"), (*loc, "functions"), base)
        yield from _tree(subject.get("project"), (*loc, "project"), base)
        yield from _mutants(subject, loc, base)
    for loc, arm in _items(data, "arms"):
        writer = arm.get("writer")
        files = writer.get("files") if isinstance(writer, dict) else None
        if files != "existing":
            yield from _path(files, (*loc, "writer", "files"), base)
        if isinstance(writer, dict):
            yield from _prompts(writer, (*loc, "writer"), base)


def _prompts(writer: dict[str, Any], above: Loc, base: Path) -> Iterator[tuple[Loc, str]]:
    for key in ("prompt", "repair_prompt"):
        value = writer.get(key)
        given = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, prompt in given:
            if isinstance(prompt, str) and prompt and (fault := fault_of(prompt, base)):
                yield (*above, key) if index is None else (*above, key, index), fault


def _items(data: dict[str, Any], key: str) -> Iterator[tuple[Loc, dict[str, Any]]]:
    values = data.get(key)
    for index, value in enumerate(values if isinstance(values, list) else []):
        if isinstance(value, dict):
            yield (key, index), value


def _mutants(data: dict[str, Any], above: Loc, base: Path) -> Iterator[tuple[Loc, str]]:
    for loc, mutants in _items(data, "mutants"):
        check = _path if mutants.get("engine") == "variants" else _file
        yield from check(mutants.get("file"), (*above, *loc, "file"), base)


def _problems(name: Any, loc: Loc) -> Iterator[tuple[Loc, str]]:
    if isinstance(name, str) and name and name not in (known := problem_sets()):
        near = nearest(name, known)
        hint = f"did you mean {near}?" if near else f"there are {', '.join(known)}"
        yield (*loc, "problems"), f"no problem set {name!r}; {hint}"


def _tree(project: Any, loc: Loc, base: Path) -> Iterator[tuple[Loc, str]]:
    if not isinstance(project, str) or not project:
        return
    if not (base / Path(project).expanduser()).is_dir():
        yield loc, f"no folder {_shown(project, base)}"


def _file(name: Any, loc: Loc, base: Path) -> Iterator[tuple[Loc, str]]:
    if isinstance(name, str) and name and not (base / name).is_file():
        yield loc, f"no file {_shown(name, base)}"


def _path(name: Any, loc: Loc, base: Path) -> Iterator[tuple[Loc, str]]:
    if isinstance(name, str) and name and not (base / name).exists():
        yield loc, f"no file or folder {_shown(name, base)}"


def _shown(name: str, base: Path) -> str:
    """The path as it was written, and the folder it was looked up in."""
    return name if Path(name).is_absolute() else f"{name} in {base}"
