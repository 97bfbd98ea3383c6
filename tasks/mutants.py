"""The mutant set of a subject: what the engines make, with ids, diffs, places and statuses.

Nothing of the subject is executed here; mutants that cannot tell anything keep a status saying so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from configs.errors import ConfigError
from tasks.changes import changed_region, position, unified_diff
from tasks.decoding import split_lines
from tasks.drafts import Draft, Drafts, Skipped
from tasks.edits import edit_drafts
from tasks.mutant_ids import Scope, change_key, mutant_id
from tasks.mutant_statuses import Original, judge, read_original
from tasks.mutmut_engine import mutmut_drafts
from tasks.records import Mutant, MutantStatus, Subject, sha256
from tasks.variants import variant_drafts

if TYPE_CHECKING:
    from configs.schema import MutantsConfig

Engine = Callable[[Subject, "MutantsConfig", Path, Path], Drafts]
ENGINES: dict[str, Engine] = {
    "mutmut": mutmut_drafts,
    "edits": edit_drafts,
    "variants": variant_drafts,
}


@dataclass(frozen=True)
class MutantSet:
    """All mutants of a subject, in engine order, and what the engines left alone."""

    subject_id: str
    mutants: tuple[Mutant, ...]
    skipped: tuple[Skipped, ...]
    mutant_set_sha256: str


def make_mutants(
    subject: Subject, configs: Sequence[MutantsConfig], base: Path, cache: Path, *, seed: int = 0
) -> MutantSet:
    """Every mutant the configured engines make of the subject's targets.

    `base` is what file names are relative to. ConfigError holds the mistakes of all engines.
    """
    originals = {path: read_original(subject, path) for path in dict.fromkeys(subject.targets)}
    made: list[tuple[MutantsConfig, Drafts]] = []
    faults: list[str] = []
    for config in configs:
        try:
            made.append((config, ENGINES[config.engine](subject, config, base, cache)))
        except ConfigError as error:
            faults += error.problems
    if faults:
        raise ConfigError(faults)
    drafts = [draft for _, each in made for draft in each.mutants]
    mutants = _finish(subject, originals, drafts, cache)
    kept = _limited([(config, len(each.mutants)) for config, each in made], mutants, seed)
    skipped = dict.fromkeys(line for _, each in made for line in each.skipped)
    return MutantSet(subject.subject_id, kept, tuple(skipped), mutant_set_sha256(kept))


def mutant_set_sha256(mutants: Iterable[Mutant]) -> str:
    """Identity of a set: engines and their versions, names, ids, statuses and sources, in order."""
    rows = [
        [m.mutant_id, m.engine, m.engine_version, m.name, m.path, m.source_sha256, m.status]
        for m in mutants
    ]
    return sha256(json.dumps(rows).encode())


def _finish(
    subject: Subject, originals: dict[str, Original], drafts: list[Draft], cache: Path
) -> list[Mutant]:
    judged = judge(subject, originals, drafts, cache)
    taken: set[str] = set()
    return [
        _mutant(subject, originals[draft.path], judged.scopes[draft.path], draft, *verdict, taken)
        for draft, verdict in zip(drafts, judged.verdicts, strict=True)
    ]


def _mutant(
    subject: Subject,
    original: Original,
    scopes: Sequence[Scope],
    draft: Draft,
    text: str,
    status: MutantStatus,
    taken: set[str],
) -> Mutant:
    lines = split_lines(text)
    region = changed_region(original.lines, lines)
    key = change_key(draft.path, original.lines, scopes, region)
    occurrence = 0
    while (identifier := mutant_id(key, occurrence)) in taken:
        occurrence += 1
    taken.add(identifier)
    line, column = position(region)
    return Mutant(
        mutant_id=identifier,
        subject_id=subject.subject_id,
        engine=draft.engine,
        engine_version=draft.engine_version,
        name=draft.name,
        operator=draft.operator,
        category=draft.category,
        path=draft.path,
        line=line,
        column=column,
        diff=unified_diff(draft.path, original.lines, lines, region),
        source=draft.source,
        status=status,
        planted=draft.planted,
    )


def _limited(
    counts: Sequence[tuple[MutantsConfig, int]], mutants: Sequence[Mutant], seed: int
) -> tuple[Mutant, ...]:
    """Per engine at most `limit` mutants to execute, drawn by hash; planted ones always stay."""
    kept: list[Mutant] = []
    start = 0
    for config, count in counts:
        part = mutants[start : start + count]
        start += count
        if config.limit is not None:
            able = [mutant for mutant in part if mutant.status == "ok"]
            able.sort(key=lambda m: (not m.planted, sha256(f"{seed}:{m.mutant_id}".encode())))
            dropped = {mutant.mutant_id for mutant in able[config.limit :] if not mutant.planted}
            part = [mutant for mutant in part if mutant.mutant_id not in dropped]
        kept += part
    return tuple(kept)
