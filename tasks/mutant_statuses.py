"""Which mutants are worth running: no duplicates, and what the subject's own Python compiles."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from configs.errors import ConfigError, InfraError
from tasks import code_check
from tasks.decoding import decode_source, split_lines
from tasks.drafts import Draft
from tasks.environments import find_interpreter
from tasks.mutant_ids import Scope
from tasks.records import MutantStatus, Subject


@dataclass(frozen=True)
class Original:
    """One target as its mutants are compared with it."""

    path: str
    data: bytes
    text: str
    lines: list[str]


@dataclass(frozen=True)
class Judged:
    """Per draft its text and status, per path the scopes of the original."""

    verdicts: list[tuple[str, MutantStatus]]
    scopes: dict[str, list[Scope]]


def read_original(subject: Subject, path: str) -> Original:
    """A target's text; ConfigError if Python could not read it either."""
    data = subject.source(path)
    try:
        text = decode_source(data).text
    except SyntaxError as error:
        raise ConfigError(f"subject {subject.name}: target {path}: {error.msg}") from None
    return Original(path, data, text, split_lines(text))


def judge(
    subject: Subject, originals: Mapping[str, Original], drafts: Sequence[Draft], cache: Path
) -> Judged:
    """Status of every draft, in order. Nothing is executed; only what is new gets compiled."""
    texts = [_text(draft.source) for draft in drafts]
    statuses = _without_compiling(originals, drafts, texts)
    scopes: dict[str, list[Scope]] = {}
    for path, original in originals.items():
        todo = {
            index: texts[index] or ""
            for index, draft in enumerate(drafts)
            if draft.path == path and index not in statuses
        }
        answer = _check(subject.environment.python, cache, original.text, list(todo.values()))
        if "error" in answer:
            raise ConfigError(f"subject {subject.name}: target {path}: {answer['error']}")
        statuses.update(zip(todo, answer["statuses"], strict=True))
        scopes[path] = [Scope(name, start - 1, stop) for name, start, stop in answer["scopes"]]
    shown = [
        draft.source.decode("latin-1") if text is None else text
        for draft, text in zip(drafts, texts, strict=True)
    ]
    return Judged([(text, statuses[index]) for index, text in enumerate(shown)], scopes)


def _text(data: bytes) -> str | None:
    try:
        return decode_source(data).text
    except SyntaxError:
        return None


def _without_compiling(
    originals: Mapping[str, Original], drafts: Sequence[Draft], texts: Sequence[str | None]
) -> dict[int, MutantStatus]:
    """`duplicate` for bytes that came before; a planted version is never taken for the second."""
    statuses: dict[int, MutantStatus] = {}
    seen = {(path, original.data) for path, original in originals.items()}
    for index, draft in sorted(enumerate(drafts), key=lambda each: not each[1].planted):
        if (draft.path, draft.source) in seen:
            statuses[index] = "duplicate"
        elif texts[index] is None:
            statuses[index] = "uncompilable"
        seen.add((draft.path, draft.source))
    return statuses


def _check(python: str, cache: Path, text: str, mutated: list[str]) -> dict[str, Any]:
    """Ask the subject's own Python, which is mostly this one."""
    if python.split(".")[:2] == [str(part) for part in sys.version_info[:2]]:
        return code_check.check(text, mutated)
    # The installation itself: an environment's .pth files are a stranger's code.
    return check_under(find_interpreter(python, cache).executable, text, mutated)


def check_under(python: Path, text: str, mutated: list[str]) -> dict[str, Any]:
    """`code_check.check` as another Python sees it; InfraError if that one fails."""
    done = subprocess.run(
        [python, "-I", "-S", code_check.__file__],
        input=json.dumps({"text": text, "mutated": mutated}),
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise InfraError(f"{python} cannot check mutants: {done.stderr.strip()[-300:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
