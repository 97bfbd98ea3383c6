"""What calls cost, fail-closed."""

from __future__ import annotations

import pytest
from genai_prices import calc_price
from hypothesis import given, settings
from hypothesis import strategies as st

from configs.errors import ConfigError
from configs.models import PricesConfig, ProviderConfig
from configs.providers import BUILT_IN
from tasks import prices
from tasks.model_records import Message, ModelRequest, Usage
from tasks.prices import TEMPLATE_TOKENS, PriceBook

BOOK = PriceBook(BUILT_IN, {})
LOCAL = {
    "vllm": ProviderConfig(
        wire="chat",
        base_url="http://localhost:8000/v1",
        prices={
            "free": PricesConfig(input_mtok=0, output_mtok=0),
            "m": PricesConfig(input_mtok=1, output_mtok=2),
            "cached": PricesConfig(input_mtok=1, output_mtok=2, cached_input_mtok=0.1),
        },
    )
}
SOME = Usage(1000, 500)


def request(model: str, text: str = "hi", cap: int = 100) -> ModelRequest:
    provider, _, name = model.partition("/")
    return ModelRequest(provider, name, (Message("user", text),), cap)


def cost(model: str, usage: Usage, book: PriceBook = BOOK, tier: str = "") -> float | None:
    return book.cost(request(model), usage, tier)


def test_a_published_price_is_that_of_the_list() -> None:
    assert cost("anthropic/claude-sonnet-5", SOME) == pytest.approx((1000 * 2 + 500 * 10) / 1e6)
    assert cost("openai/gpt-4o", SOME) == pytest.approx((1000 * 2.5 + 500 * 10) / 1e6)
    assert cost("openai-chat/gpt-4o", SOME) == cost("openai/gpt-4o", SOME)
    assert cost("google/gemini-2.5-flash", SOME) == pytest.approx((1000 * 0.3 + 500 * 2.5) / 1e6)


def test_a_dated_name_that_the_list_gives_in_full_is_priced() -> None:
    assert cost("openai/gpt-4o-2024-08-06", SOME) == cost("openai/gpt-4o", SOME)


@pytest.mark.parametrize(
    "model",
    [
        "anthropic/claude-sonnet-5-turbo",
        "anthropic/claude-haiku-4-5-but-dearer",
        "openai/gpt-4o-",
        "openai/GPT-4o",
        "openai/no-such-model",
        "openai/text-embedding-3-small",
        "openai/moderation",
        "google/gemma-4-31b-it",
        "nobody/gpt-4o",
        "openai",
    ],
)
def test_a_model_that_is_not_named_or_lacks_a_price_has_none(model: str) -> None:
    assert cost(model, SOME) is None
    assert list(BOOK.unpriced([model])) == [model]
    with pytest.raises(ConfigError):
        BOOK.upper_bound(request(model))


def test_the_library_itself_would_have_priced_what_is_not_known() -> None:
    """Why its own look-up is not used; when this fails, see what it does now."""
    known = calc_price(
        prices.genai_prices.Usage(input_tokens=1000, output_tokens=500),
        "claude-haiku-4-5-but-dearer",
        provider_id="anthropic",
    )
    assert known.total_price > 0
    nothing = calc_price(prices.genai_prices.Usage(), "gpt-4o", provider_id="openai")
    assert nothing.total_price == 0


@pytest.mark.parametrize(
    "usage", [Usage(), Usage(10, None), Usage(None, 10), Usage(10, 5, None, 99)]
)
def test_tokens_that_are_not_known_or_cannot_be_cost_nothing_known(usage: Usage) -> None:
    assert cost("openai/gpt-4o", usage) is None


def test_why_a_model_has_no_price_is_said() -> None:
    models = ["openai/gpt-4o", "openai/nope", "nobody/m", "openai/moderation"]
    found = BOOK.unpriced(models)
    assert set(found) == set(models[1:])
    assert "does not name it" in found["openai/nope"]
    assert "no provider 'nobody'" in found["nobody/m"]
    assert "lacks a price" in found["openai/moderation"]
    unlisted = {"vllm": ProviderConfig(wire="chat", base_url="http://localhost/v1")}
    assert "providers.vllm.prices" in PriceBook(unlisted, {}).unpriced(["vllm/m"])["vllm/m"]
    listed = {"x": ProviderConfig(wire="chat", base_url="http://x/v1", price_list="open")}
    assert "no price list 'open'" in PriceBook(listed, {}).unpriced(["x/gpt-4o"])["x/gpt-4o"]


def test_prices_of_the_config_go_before_those_of_the_list() -> None:
    own = {"openai/gpt-4o": PricesConfig(input_mtok=1, output_mtok=1)}
    assert cost("openai/gpt-4o", SOME, PriceBook(BUILT_IN, own)) == pytest.approx(0.0015)
    assert cost("vllm/m", SOME, PriceBook(LOCAL, {})) == pytest.approx(0.002)
    over = {"vllm/m": PricesConfig(input_mtok=3, output_mtok=0)}
    assert cost("vllm/m", SOME, PriceBook(LOCAL, over)) == pytest.approx(0.003)


def test_a_server_of_ones_own_can_be_free_but_only_in_so_many_words() -> None:
    book = PriceBook(LOCAL, {})
    assert cost("vllm/free", SOME, book) == 0.0
    assert book.upper_bound(request("vllm/free")) == 0.0
    assert cost("vllm/free", Usage(), book) is None
    assert cost("vllm/other", SOME, book) is None


def test_cached_tokens_are_priced_where_their_price_is_known() -> None:
    book, usage = PriceBook(LOCAL, {}), Usage(1000, 500, None, 800)
    assert cost("vllm/cached", usage, book) == pytest.approx((200 + 80 + 1000) / 1e6)
    assert cost("vllm/m", usage, book) == pytest.approx((1000 + 1000) / 1e6)
    sonnet = (100 * 2 + 800 * 0.2 + 100 * 2.5 + 500 * 10) / 1e6
    assert cost("anthropic/claude-sonnet-5", Usage(1000, 500, None, 800, 100)) == pytest.approx(
        sonnet
    )


def test_reasoning_is_part_of_the_output_and_is_not_paid_twice() -> None:
    assert cost("openai/gpt-5", Usage(1000, 500, 400)) == cost("openai/gpt-5", SOME)


def test_a_service_tier_has_its_own_price_or_none() -> None:
    standard = cost("openai/gpt-5", SOME)
    assert standard is not None
    assert cost("openai/gpt-5", SOME, tier="default") == standard
    assert cost("openai/gpt-5", SOME, tier="priority") == pytest.approx(2 * standard)
    assert cost("openai/gpt-5", SOME, tier="unheard-of") is None
    assert cost("vllm/m", SOME, PriceBook(LOCAL, {}), "unheard-of") == pytest.approx(0.002)


def test_the_upper_bound_is_bytes_and_cap_at_their_prices() -> None:
    book = PriceBook(LOCAL, {})
    bound = book.upper_bound(request("vllm/m", "é" * 10, cap=50))
    assert bound == pytest.approx((20 + TEMPLATE_TOKENS + 50 * 2) / 1e6)


def test_the_upper_bound_is_at_the_dearest_tier_of_size() -> None:
    bound = BOOK.upper_bound(request("anthropic/claude-sonnet-4-5", "", cap=1000))
    assert bound == pytest.approx((TEMPLATE_TOKENS * 7.5 + 1000 * 22.5) / 1e6)


@settings(max_examples=60, deadline=None)
@given(
    model=st.sampled_from(
        [
            "anthropic/claude-sonnet-4-5",
            "anthropic/claude-haiku-5-5",
            "openai/gpt-5.6-sol",
            "openai/o3",
            "google/gemini-2.5-pro",
        ]
    ),
    text=st.text(max_size=40),
    repeats=st.integers(1, 20_000),
    cap=st.integers(1, 100_000),
    shares=st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)),
)
def test_no_usage_within_the_bound_costs_more_than_it(
    model: str, text: str, repeats: int, cap: int, shares: tuple[float, float, float]
) -> None:
    asked = request(model, text * repeats, cap)
    most = len(asked.messages[0].text.encode()) + TEMPLATE_TOKENS
    sent = int(most * shares[0])
    cached = int(sent * shares[1])
    usage = Usage(sent, int(cap * shares[2]), None, cached, sent - cached)
    paid = BOOK.cost(asked, usage)
    assert paid is not None
    assert paid <= BOOK.upper_bound(asked) * (1 + 1e-9)


def test_prices_come_from_the_pinned_copy_and_are_never_fetched() -> None:
    assert not prices.data_snapshot.get_snapshot().from_auto_update
