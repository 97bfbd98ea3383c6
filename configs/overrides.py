"""Values given on the command line: `--set a.b=c` and `--set arms.0.name=x`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from configs.errors import ConfigError
from configs.places import Loc, read_document


@dataclass(frozen=True)
class Override:
    """One `--set`: where it goes, its value, and its text for messages."""

    loc: Loc
    value: Any
    text: str

    @property
    def place(self) -> str:
        return f"--set {self.text}"


def parse_override(text: str) -> Override:
    """`path=value`; the path is keys and list positions joined by dots, the value is YAML."""
    path, equals, written = text.partition("=")
    steps = path.strip().split(".")
    if not equals or not all(steps):
        raise ConfigError(f"--set {text}: must look like key.key=value")
    value = read_document(written, f"--set {text}").value
    return Override(tuple(int(s) if s.isdecimal() else s for s in steps), value, text)


def apply_override(data: Any, override: Override) -> Any:
    """A copy of `data` with the value in its place; what is not on the way there is shared."""
    return _put(data, override.loc, override, 0)


def _put(data: Any, loc: Loc, override: Override, depth: int) -> Any:
    if depth == len(loc):
        return override.value
    step = loc[depth]
    where = ".".join(map(str, loc[:depth])) or "the config"
    if data is None:
        data = {}
    if isinstance(data, dict):
        return {**data, str(step): _put(data.get(str(step)), loc, override, depth + 1)}
    if not isinstance(data, list):
        raise ConfigError(f"{override.place}: {where} holds a single value, nothing below it")
    if not isinstance(step, int) or step > len(data):
        raise ConfigError(f"{override.place}: {where} has {len(data)} items, counted from 0")
    old = data[step] if step < len(data) else None
    return [*data[:step], _put(old, loc, override, depth + 1), *data[step + 1 :]]
