"""Models that write suites: where they are reached, what a call may take, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from configs.model import Count, Mistake, Model, Name, Positive, Text

Wire = Literal["chat", "responses", "anthropic", "gemini"]
ModelId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*/\S+$")]
Price = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]


class PricesConfig(Model):
    """Prices of a model in US dollars for a million tokens, where they are not published."""

    input_mtok: Price
    output_mtok: Price
    cached_input_mtok: Price | None = Field(
        default=None, description="Input read from a cache; unset: as other input."
    )


class ProviderConfig(Model):
    """A server of models. Those that everyone knows are built in and need no entry."""

    wire: Wire = Field(description="The format it speaks; chat is what most others copy.")
    base_url: Text = Field(description="Up to and with the version, as in http://localhost:8000/v1")
    key_variable: Name | None = Field(
        default=None, description="Environment variable that holds the key; unset: no key is sent."
    )
    cap_field: Literal["max_completion_tokens", "max_tokens"] = Field(
        default="max_completion_tokens",
        description="What chat calls the output cap; older servers know max_tokens only.",
    )
    concurrency: Count = Field(default=8, description="Calls in flight at most.")
    requests_per_minute: Count | None = Field(default=None, description="Requests at most.")
    price_list: Text | None = Field(
        default=None, description="This provider's id in the published price list."
    )
    prices: dict[str, PricesConfig] = Field(
        default={}, description="Prices by model, instead of the published ones."
    )


class ModelConfig(Model):
    """One model under test, in `models`; a plain text there is its id and nothing else."""

    model: ModelId = Field(description="provider/model, as in anthropic/claude-sonnet-5")
    max_output_tokens: Count | None = Field(default=None, description="Instead of its arm's cap.")
    prices: PricesConfig | None = None


class CallsConfig(Model):
    """Limits on model calls; times in seconds."""

    budget_usd: Positive | None = Field(
        default=None, description="No call is begun that could take the spend beyond this."
    )
    attempts: Count = Field(default=5, description="Tries of a call when the provider fails.")
    deadline_s: Positive = Field(default=900.0, description="A whole call, with all its tries.")
    attempt_s: Positive = Field(default=600.0, description="One try, to its last byte.")


def _prompt_tag(value: Any) -> str:
    return "<list>" if isinstance(value, list) else "<text>"


class ModelWriterConfig(Model):
    """How a model is asked for a suite."""

    model: Annotated[str, Field(pattern=r"^(each|[A-Za-z0-9][A-Za-z0-9._-]*/\S+)$")] = Field(
        description="provider/model, or each: an arm for every entry of the config's models."
    )
    prompt: Annotated[
        Annotated[Text, Tag("<text>")] | Annotated[list[Text], Tag("<list>")],
        Discriminator(_prompt_tag),
    ] = Field(
        description="Name of a built-in prompt, or path of a template; a list: an arm for each."
    )
    max_output_tokens: Count = Field(default=8_000, description="The output cap, always sent.")
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    seed: Annotated[bool, Field(strict=True)] = Field(
        default=True, description="Send a seed of the draw's own, where the provider knows seeds."
    )
    best_of: Count = Field(
        default=1, description="Draws; the first whose tests all pass on the correct code counts."
    )
    repair: Annotated[int, Field(strict=True, ge=0, le=5)] = Field(
        default=0,
        description="Times that the model is shown its tests that fail on the correct code.",
    )
    repair_prompt: Text = "repair"

    @property
    def prompt_name(self) -> str:
        """The prompt of a writer that was taken apart by expand_arms."""
        assert isinstance(self.prompt, str)
        return self.prompt

    @property
    def condition(self) -> str:
        """The prompt by name alone, without the folder and ending of a file."""
        return PurePath(self.prompt_name).stem

    @classmethod
    def mistakes(cls, data: dict[str, Any]) -> Iterator[Mistake]:
        prompts = data.get("prompt")
        if isinstance(prompts, list) and len(set(map(str, prompts))) < len(prompts):
            yield ("prompt",), "a prompt is named twice"
        if isinstance(prompts, list) and not prompts:
            yield ("prompt",), "no prompt"


class PynguinConfig(Model):
    """Pynguin, a search-based generator, in an environment of its own."""

    iterations: Count = Field(default=100, description="Its budget: equal seeds give equal files.")
    version: Text = "0.48.0"


class GhostwriterConfig(Model):
    """Hypothesis' ghostwriter."""

    version: Text | None = Field(default=None, description="Of hypothesis; unset: the subject's.")


GeneratorConfig = PynguinConfig | GhostwriterConfig
