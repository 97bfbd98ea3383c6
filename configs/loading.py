"""A config file and the command line's `--set` become one ExperimentConfig.

Precedence: defaults < file < `--set`. All mistakes are raised together, each with its place. Input
paths are relative to the config file, `store` to the working folder.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from configs.checks import missing
from configs.errors import ConfigError
from configs.messages import explain, meant_key
from configs.overrides import Override, apply_override, parse_override
from configs.places import Document, Loc, read_document
from configs.schema import ExperimentConfig


def load_config(path: Path, overrides: Sequence[str] = ()) -> ExperimentConfig:
    """Read, override and check the config at `path`; ConfigError holds a line for each mistake."""
    document = read_document(_read(path), str(path))
    if not isinstance(document.value, dict):
        held = "is empty" if document.value is None else "holds no mapping of keys to values"
        raise ConfigError(f"{document.place(())}: the config {held}")
    return _checked(document, path.parent, overrides)


def make_config(
    values: dict[str, Any], base: Path, overrides: Sequence[str] = ()
) -> ExperimentConfig:
    """The same for values that stand in no file; relative paths in them are relative to `base`."""
    return _checked(Document("config", values, None), base, overrides)


def _checked(document: Document, base: Path, overrides: Sequence[str]) -> ExperimentConfig:
    sets = _parse_all(overrides)
    data: Any = document.value
    for override in sets:
        data = apply_override(data, override)
    problems = list(missing(data, base))
    config = None
    try:
        config = ExperimentConfig.model_validate(data)
    except ValidationError as error:
        problems += _explained(error, document)
    if config is None or problems:
        raise ConfigError(_lines(problems, document, sets))
    return config


def config_sha256(config: ExperimentConfig) -> str:
    """Hash of everything in the config that defines the numbers.

    That is all but where they are stored, and how fast and for how much money models are asked.
    """
    how = {"concurrency", "requests_per_minute", "key_variable", "prices", "price_list"}
    content = config.model_dump(
        mode="json", exclude={"store": True, "calls": True, "providers": {"__all__": how}}
    )
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such config file") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}: the config must be UTF-8") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None


def _parse_all(overrides: Sequence[str]) -> list[Override]:
    parsed, problems = [], []
    for text in overrides:
        try:
            parsed.append(parse_override(text))
        except ConfigError as error:
            problems += error.problems
    if problems:
        raise ConfigError(problems)
    return parsed


def _explained(error: ValidationError, document: Document) -> list[tuple[Loc, str]]:
    details = []
    for detail in error.errors(include_url=False):
        # Pydantic also names the branch of a union that it took; ours are written <so>.
        details.append((tuple(s for s in detail["loc"] if not str(s).startswith("<")), detail))
    # A misspelt key is one mistake, not also the lack of the right one.
    unknown = {loc for loc, detail in details if detail["type"] == "extra_forbidden"}
    meant = {meant_key(loc) for loc in unknown} - unknown
    return [
        (loc, explain(detail, loc, document.text(loc)))
        for loc, detail in details
        if loc not in meant
    ]


def _lines(
    problems: list[tuple[Loc, str]], document: Document, sets: Sequence[Override]
) -> list[str]:
    """The file's mistakes in the order of its lines, then those of the command line."""
    lines = []
    for loc, text in problems:
        override = _culprit(loc, document, sets)
        place = override.place if override else document.place(loc)
        order = (1, sets.index(override), 0) if override else (0, *document.position(loc))
        dotted = ".".join(map(str, loc))
        lines.append((order, f"{place}: {dotted}: {text}" if dotted else f"{place}: {text}"))
    return [line for _, line in sorted(dict.fromkeys(lines), key=lambda pair: pair[0])]


def _culprit(loc: Loc, document: Document, sets: Sequence[Override]) -> Override | None:
    """The `--set` that wrote what stands at `loc`, if one did; the last one holds."""
    for override in reversed(sets):
        inside = loc[: len(override.loc)] == override.loc
        above = override.loc[: len(loc)] == loc and not document.has(loc)
        if inside or above:
            return override
    return None
