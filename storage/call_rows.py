"""Rows of `calls` and `rounds`: what was asked of models, and how a cell went on from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import pyarrow as pa

from storage.building import build, columns_of, instant
from tasks.model_records import Intent, Receipt


@dataclass(frozen=True)
class CallPlace:
    """Where a call belongs: its cell and, within it, its draw, round and role."""

    cell_id: str
    subject_id: str
    arm: str
    condition: str
    replicate: int
    draw: int = 0
    round: int = 0
    role: str = "writer"


@dataclass(frozen=True)
class RoundEnd:
    """How one round of a cell ended; a number that was not measured is None.

    `suite_id` is the suite that the round left, empty when it left none; `dropped_tests` are the
    node ids of tests that it took out.
    """

    cell_id: str
    round: int
    role: str
    status: str
    suite_id: str = ""
    note: str = ""
    survivors_before: int | None = None
    survivors_after: int | None = None
    kills: int | None = None
    dropped_tests: tuple[str, ...] = ()


def unreceipted(intent: Intent) -> Receipt:
    """What is known of an attempt that was begun and whose receipt was never kept."""
    return Receipt(
        call_id=intent.call_id,
        attempt=intent.attempt,
        request=intent.request,
        parameters=intent.parameters,
        verdict="unreceipted",
        started_at=intent.started_at,
    )


def call_rows(experiment_id: str, calls: Sequence[tuple[CallPlace, Receipt]]) -> pa.Table:
    """One row of `calls` for each attempt.

    `raw` is the body as text, bytes that are no UTF-8 as lone surrogates: `raw_bytes` gives it
    back. An instant of 0 is one that is not known.
    """
    places = [place for place, _ in calls]
    receipts = [receipt for _, receipt in calls]
    requests = [receipt.request for receipt in receipts]
    columns = columns_of(places, "cell_id subject_id arm condition replicate draw round role")
    columns |= columns_of(requests, "provider model prompt prompt_sha256")
    columns |= columns_of(
        receipts,
        "call_id attempt parameters reply raw_sha256 http_status response_id answered_by finish "
        "verdict cost_usd error",
    )
    columns |= columns_of(
        [receipt.usage for receipt in receipts],
        "input_tokens output_tokens reasoning_tokens cached_tokens",
    )
    columns |= {
        "experiment_id": experiment_id,
        "raw": [receipt.raw.decode("utf-8", "surrogateescape") for receipt in receipts],
        "started_at": [_instant(receipt.started_at) for receipt in receipts],
        "ended_at": [_instant(receipt.ended_at) for receipt in receipts],
    }
    return build("calls", columns, len(calls))


def raw_bytes(raw: str) -> bytes:
    """The body as it came, of a row's `raw`; where `escaped` names it, unescape it first."""
    return raw.encode("utf-8", "surrogateescape")


def round_rows(experiment_id: str, rounds: Sequence[RoundEnd]) -> pa.Table:
    """One row of `rounds` for each."""
    columns = columns_of(
        rounds, "cell_id round role suite_id survivors_before survivors_after kills status note"
    )
    columns |= {
        "experiment_id": experiment_id,
        "dropped_tests": [list(each.dropped_tests) for each in rounds],
    }
    return build("rounds", columns, len(rounds))


def _instant(seconds: float) -> datetime | None:
    return instant(seconds) if seconds else None
