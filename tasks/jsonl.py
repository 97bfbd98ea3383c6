"""JSONL files that users bring: one object a line, all wrong lines reported together."""

from __future__ import annotations

import io
import json
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from configs.errors import ConfigError, NotFoundError

_NAMES = {str: "text", int: "a whole number"}


@dataclass(frozen=True)
class Line:
    """One object; `where` is its file:line, for messages."""

    where: str
    values: Mapping[str, Any]


class Faults:
    """Collects what is wrong with a file; mistakes that repeat are told once, with their count."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._count: Counter[str] = Counter()

    def add(self, where: str, text: str) -> None:
        self._first.setdefault(text, where)
        self._count[text] += 1

    def check(self) -> None:
        """Raise ConfigError with all of them, if there are any."""
        if self._first:
            raise ConfigError(
                [f"{where}: {text}{self._times(text)}" for text, where in self._first.items()]
            )

    def _times(self, text: str) -> str:
        others = self._count[text] - 1
        return f" (and {others} more lines)" if others else ""


def read_jsonl(
    path: Path, required: Mapping[str, type], optional: Mapping[str, type], faults: Faults
) -> Iterator[Line]:
    """Sound lines in order; NotFoundError when there is no such file, faults are only added."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NotFoundError(f"{path}: {error.strerror}") from error
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if raw.strip():
            line = _line(raw, f"{path}:{number}", required, {**required, **optional}, faults)
            if line is not None:
                yield line


def _line(
    raw: bytes, where: str, required: Mapping[str, type], known: Mapping[str, type], faults: Faults
) -> Line | None:
    try:
        values = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        faults.add(where, f"not UTF-8 at byte {error.start + 1}")
        return None
    except (json.JSONDecodeError, RecursionError) as error:
        faults.add(where, f"not JSON: {error}")
        return None
    if not isinstance(values, dict):
        faults.add(where, "not an object")
        return None
    found = [f"key {key!r} is missing" for key in required if key not in values]
    found += [f"unknown key {key!r}" for key in values if key not in known]
    for key, kind in known.items():
        if key in values and type(values[key]) is not kind:
            found.append(f"key {key!r} is not {_NAMES[kind]}")
    for text in found:
        faults.add(where, text)
    return None if found else Line(where, values)


def encode_source(text: str) -> bytes:
    """Bytes of a Python file that holds this text, in the encoding that its cookie asks for.

    Text that no encoding can hold, such as a lone surrogate, becomes bytes that Python refuses as
    a syntax error: the file is wrong, and whoever runs it says so.
    """
    data = text.encode("utf-8", "surrogatepass")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return text.encode(encoding) if not encoding.startswith("utf-8") else data
    except (SyntaxError, UnicodeEncodeError):
        return data
