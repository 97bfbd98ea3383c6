"""What a model call costs, or None: from the config, or from the published price list.

The list is the copy inside the pinned genai-prices; nothing is fetched. That library fails open (it
knows models by a prefix of their name and prices an empty usage at 0.00), so only its numbers are
used here: a model must be named in full, and have a price for input and for output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache

import genai_prices
from genai_prices import data_snapshot
from genai_prices.types import (
    ClauseEquals,
    ClauseOr,
    MatchLogic,
    ModelInfo,
    ModelPrice,
    TieredPrices,
)

from configs.errors import ConfigError
from configs.models import PricesConfig, ProviderConfig
from configs.providers import split_model
from tasks.model_records import ModelRequest, Usage

# What a chat template may put around a message, in tokens; far more than any does.
TEMPLATE_TOKENS = 100
STANDARD_TIERS = ("", "default", "standard", "auto")
MILLION = Decimal(1_000_000)


@dataclass(frozen=True)
class PriceBook:
    """Prices of the models of an experiment.

    `providers` by name; `own` are prices by `provider/model` that go before all others.
    """

    providers: Mapping[str, ProviderConfig]
    own: Mapping[str, PricesConfig]

    def unpriced(self, models: Iterable[str]) -> dict[str, str]:
        """The models (`provider/model`) without a price, and why each has none."""
        found = ((model, self._look_up(model, datetime.now(UTC), "")) for model in models)
        return {model: why for model, why in found if isinstance(why, str)}

    def cost(self, request: ModelRequest, usage: Usage, tier: str = "") -> float | None:
        """US dollars for a reply; None if the price or the number of tokens is not known.

        `tier` is the service tier that the provider says it served; one without a price is None.
        """
        price = self._look_up(_id(request), datetime.now(UTC), tier)
        if isinstance(price, str) or usage.input_tokens is None or usage.output_tokens is None:
            return None
        counted = genai_prices.Usage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cached_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            output_reasoning_tokens=usage.reasoning_tokens,
        )
        try:
            return float(price.calc_price(counted)["total_price"])
        except ValueError:  # parts that are more than their whole
            return None

    def upper_bound(self, request: ModelRequest) -> float:
        """US dollars that one attempt can cost at most, at the standard service tier.

        Input: a token is at least one byte of text, so the prompt's bytes in UTF-8, and
        TEMPLATE_TOKENS a message, at the dearest price of input. Output: the cap at the dearest
        price of output. Prices of the next 24 hours. Raises ConfigError for an unpriced model.
        """
        sent = sum(
            len(m.text.encode("utf-8", "surrogatepass")) + TEMPLATE_TOKENS for m in request.messages
        )
        bounds = [
            sent * _dearest(price, "input_mtok", "cache_write_mtok")
            + request.max_output_tokens * _dearest(price, "output_mtok", "output_reasoning_mtok")
            + _dearest(price, "requests_kcount") * 1000
            for price in self._day_of_prices(_id(request))
        ]
        return float(max(bounds) / MILLION)

    def _day_of_prices(self, model: str) -> Iterator[ModelPrice]:
        now = datetime.now(UTC)
        for hours in range(25):
            price = self._look_up(model, now + timedelta(hours=hours), "")
            if isinstance(price, str):
                raise ConfigError(f"{model}: {price}")
            yield price

    def _look_up(self, model: str, at: datetime, tier: str) -> ModelPrice | str:
        """The price of a model, or why it has none."""
        provider, name = split_model(model)
        config = self.providers.get(provider)
        if config is None:
            return f"no provider {provider!r}"
        stated = self.own.get(model) or config.prices.get(name)
        if stated is not None:
            return _of_config(stated)
        if config.price_list is None:
            return f"no price: state it under providers.{provider}.prices"
        return _published_price(config.price_list, name, at, tier)


def _id(request: ModelRequest) -> str:
    return f"{request.provider}/{request.model}"


def _of_config(prices: PricesConfig) -> ModelPrice:
    cached = prices.cached_input_mtok
    return ModelPrice(
        input_mtok=Decimal(str(prices.input_mtok)),
        output_mtok=Decimal(str(prices.output_mtok)),
        cache_read_mtok=None if cached is None else Decimal(str(cached)),
    )


def _published_price(price_list: str, name: str, at: datetime, tier: str) -> ModelPrice | str:
    models = _published(price_list)
    if models is None:
        return f"no price list {price_list!r} is published"
    if name not in models:
        return f"the price list {price_list!r} does not name it; state its prices"
    model, context = models[name], {"service_tier": tier}
    if tier not in STANDARD_TIERS and not _has_tier(model, context):
        return f"the price list {price_list!r} has no price for the service tier {tier!r}"
    price = model.get_prices(at, context)
    if price.input_mtok is None or price.output_mtok is None:
        return f"the price list {price_list!r} lacks a price for its input or output"
    return price


def _has_tier(model: ModelInfo, context: dict[str, str]) -> bool:
    return any(variant.when == context for variant in model.price_variants or ())


@cache
def _published(price_list: str) -> dict[str, ModelInfo] | None:
    """The models of a published list by each name that it gives them in full."""
    for provider in data_snapshot.get_snapshot().providers:
        if provider.id == price_list:
            named = {name: model for model in provider.models for name in _names(model.match)}
            return named | {model.id: model for model in provider.models}
    return None


def _names(match: MatchLogic) -> Iterator[str]:
    if isinstance(match, ClauseEquals):
        yield match.equals
    elif isinstance(match, ClauseOr):
        for clause in match.or_:
            yield from _names(clause)


def _dearest(price: ModelPrice, *keys: str) -> Decimal:
    """The highest of some prices over all tiers of size; 0 for those that the model lacks."""
    highest = Decimal(0)
    for key in keys:
        value = getattr(price, key)
        if isinstance(value, TieredPrices):
            highest = max(highest, value.base, *(tier.price for tier in value.tiers))
        elif value is not None:
            highest = max(highest, value)
    return highest
