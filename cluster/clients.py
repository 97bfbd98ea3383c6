"""The model client of a plan: its providers with their keys, prices, limits and budget."""

from __future__ import annotations

import os
from collections.abc import Mapping

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
    strangers = sorted(set(_asked(plan)) - set(known))
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
    for name in _asked(plan):
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


def _asked(plan: Plan) -> list[str]:
    """Names of the providers of every arm that has a cell."""
    return list(dict.fromkeys(split_model(writer.model)[0] for writer in plan.asking.values()))
