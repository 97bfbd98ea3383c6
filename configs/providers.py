"""The providers that need no entry in a config, and the choice of a provider for a model."""

from __future__ import annotations

from collections.abc import Mapping

from configs.models import ProviderConfig

BUILT_IN: Mapping[str, ProviderConfig] = {
    "openai": ProviderConfig(
        wire="responses",
        base_url="https://api.openai.com/v1",
        key_variable="OPENAI_API_KEY",
        price_list="openai",
    ),
    "openai-chat": ProviderConfig(
        wire="chat",
        base_url="https://api.openai.com/v1",
        key_variable="OPENAI_API_KEY",
        price_list="openai",
    ),
    "anthropic": ProviderConfig(
        wire="anthropic",
        base_url="https://api.anthropic.com/v1",
        key_variable="ANTHROPIC_API_KEY",
        price_list="anthropic",
    ),
    "google": ProviderConfig(
        wire="gemini",
        base_url="https://generativelanguage.googleapis.com/v1beta",
        key_variable="GEMINI_API_KEY",
        price_list="google",
    ),
}


def providers_of(own: Mapping[str, ProviderConfig]) -> dict[str, ProviderConfig]:
    """All providers that a config knows by name; an entry of its own replaces one built in."""
    return {**BUILT_IN, **own}


def split_model(model: str) -> tuple[str, str]:
    """`provider/model` taken apart; the model's own name may hold further slashes."""
    provider, _, name = model.partition("/")
    return provider, name
