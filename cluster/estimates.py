"""What a plan's model calls can cost at most, and whether every model has a price."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.calling import model_writer, request_of
from cluster.clients import price_book
from cluster.plan import Cell, Plan
from configs.errors import ConfigError
from tasks.model_records import Message, ModelRequest
from tasks.prices import PriceBook

# What a repair prompt says beside the prompt before it and the reply: failures, instructions.
REPAIR_BYTES = 20_000
# Bytes of a reply's token, at most, when it comes back in a repair prompt.
TOKEN_BYTES = 16


@dataclass(frozen=True)
class ArmCalls:
    """Model calls of one arm if every draw and repair is needed; None dollars: it has no price."""

    arm: str
    model: str
    calls: int
    cap: int
    bound_usd: float | None


def calls_of(plan: Plan) -> list[ArmCalls]:
    """For every arm of the plan whose writer is a model."""
    prices = price_book(plan)
    found = []
    for arm, writer in plan.asking.items():
        cells = [cell for cell in plan.cells if cell.arm == arm]
        each = writer.best_of + writer.repair
        known = not prices.unpriced([writer.model])
        bound = sum(_bound(plan, cell, prices) for cell in cells) if known else None
        found.append(
            ArmCalls(arm, writer.model, len(cells) * each, writer.max_output_tokens, bound)
        )
    return found


def check_prices(plan: Plan) -> None:
    """ConfigError that names every model without a price: no call is made whose cost is unknown."""
    models = dict.fromkeys(writer.model for writer in plan.asking.values())
    lacking = price_book(plan).unpriced(models)
    if lacking:
        raise ConfigError(
            [
                f"model {model}: {why} (in `models`, or in its provider's `prices`; 0 for a server "
                "of your own)"
                for model, why in lacking.items()
            ]
        )


def _bound(plan: Plan, cell: Cell, prices: PriceBook) -> float:
    writer = model_writer(plan, cell.arm)
    request = request_of(plan, cell, cell.prompt, 0, 0)
    repaired = _longer(request, REPAIR_BYTES + TOKEN_BYTES * writer.max_output_tokens)
    return writer.best_of * prices.upper_bound(request) + writer.repair * prices.upper_bound(
        repaired
    )


def _longer(request: ModelRequest, size: int) -> ModelRequest:
    more = Message("user", "x" * size)
    return ModelRequest(
        request.provider, request.model, (*request.messages, more), request.max_output_tokens
    )
