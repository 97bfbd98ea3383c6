"""Receipts of model calls for small experiments."""

from __future__ import annotations

from typing import Any

from storage.call_rows import CallPlace, call_rows
from tasks.model_records import Message, ModelRequest, Receipt, Usage
from tasks.records import Subject
from tests.storage.stores import Lab


def call(
    lab: Lab,
    of: Subject,
    arm: str,
    *verdicts: Any,
    replicate: int = 0,
    draw: int = 0,
    model: str = "tiny",
    condition: str = "spec_only",
    cost_usd: float | None = 0.5,
    seconds: float = 2.0,
    output_tokens: int | None = 100,
    **fields: Any,
) -> None:
    """One call with an attempt for each verdict, the last of which ends it."""
    cell_id = f"cell-{of.name}-{arm}-{replicate}"
    place = CallPlace(cell_id, of.subject_id, arm, condition, replicate, draw)
    request = ModelRequest("local", model, (Message("user", "tests, please"),), 800)
    receipts = [
        Receipt(
            call_id=f"{cell_id}/{draw}",
            attempt=number,
            request=request,
            parameters="{}",
            verdict=verdict,
            finish=verdict,
            usage=Usage(10, output_tokens),
            cost_usd=cost_usd,
            started_at=1.8e9,
            ended_at=1.8e9 + seconds,
            **fields,
        )
        for number, verdict in enumerate(verdicts, 1)
    ]
    lab.commit(calls=call_rows(lab.experiment_id, [(place, each) for each in receipts]))
