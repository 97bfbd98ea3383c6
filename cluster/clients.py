"""The model client of a plan: its providers with their keys, prices, limits and budget."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from cluster.calling import model_writer
from cluster.plan import Plan
from configs.errors import ConfigError
from configs.providers import providers_of, split_model
from tasks.budget import Budget
from tasks.calls import CallPolicy, ModelClient
from tasks.model_records import Provider
from tasks.prices import PriceBook


def price_book(plan: Plan) -> PriceBook:
    """Prices of the config, before those published; ConfigError names a provider it lacks."""
    known = providers_of(plan.config.providers)
    asked = _asked(plan)
    strangers = sorted({name for name, _ in asked} - set(known))
    if strangers:
        raise ConfigError(
            [
                f"providers: no provider {name!r}; there are {', '.join(known)}, and the config "
                "may have its own"
                for name in strangers
            ]
        )
    stated = (entry for entry in plan.config.models if not isinstance(entry, str))
    return PriceBook(known, {each.model: each.prices for each in stated if each.prices})


def make_client(
    plan: Plan, prices: PriceBook, spent: float, environ: Mapping[str, str] = os.environ
) -> ModelClient:
    """The client of all models of a plan; ConfigError names every key that is not set."""
    known = providers_of(plan.config.providers)
    providers, lacking = {}, []
    for name in dict.fromkeys(name for name, _ in _asked(plan)):
        config = known[name]
        key = environ.get(config.key_variable) if config.key_variable else None
        if config.key_variable and not key:
            lacking.append(f"provider {name}: its key is expected in ${config.key_variable}")
        providers[name] = Provider(
            name=name,
            wire=config.wire,
            base_url=config.base_url,
            key=key,
            cap_field=config.cap_field,
            concurrency=config.concurrency,
            requests_per_minute=config.requests_per_minute,
        )
    if lacking:
        raise ConfigError(lacking)
    calls = plan.config.calls
    policy = CallPolicy(calls.attempts, calls.deadline_s, calls.attempt_s)
    return ModelClient(providers, prices, policy, Budget(calls.budget_usd, spent))


def _asked(plan: Plan) -> list[tuple[str, str]]:
    """(provider, model) of every arm that has a cell."""
    arms: Iterable[str] = dict.fromkeys(cell.arm for cell in plan.cells if cell.prompt)
    return list(dict.fromkeys(split_model(model_writer(plan, arm).model) for arm in arms))
