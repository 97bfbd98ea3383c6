"""What every config model shares: bounded types, and all mistakes of a model reported at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

Mistake = tuple[tuple[str | int, ...], str]

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=80)]
Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(strict=True, ge=1)]
Share = Annotated[float, Field(strict=True, ge=0, le=1)]
Positive = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Factor = Annotated[float, Field(strict=True, ge=1, allow_inf_nan=False)]


class Model(BaseModel):
    """Base of all: unknown keys refused, values frozen, all mistakes of a model at once."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def mistakes(cls, data: dict[str, Any]) -> Iterator[Mistake]:
        """Wrong relations between the raw values: (path inside the model, message)."""
        yield from ()

    @model_validator(mode="wrap")
    @classmethod
    def _together(cls, data: Any, handler: ModelWrapValidatorHandler[Any]) -> Any:
        found = list(cls.mistakes(data)) if isinstance(data, dict) else []
        try:
            model = handler(data)
        except ValidationError as error:
            if not found:
                raise
            raise _join(cls.__name__, error, found) from None
        if found:
            raise _join(cls.__name__, None, found)
        return model


def _join(title: str, error: ValidationError | None, found: list[Mistake]) -> ValidationError:
    lines = [_line(loc, text) for loc, text in found]
    for old in error.errors(include_url=False) if error else []:
        if old["type"] == "mistake":
            lines.append(_line(old["loc"], old["ctx"]["text"]))
            continue
        line = InitErrorDetails(type=old["type"], loc=old["loc"], input=old["input"])
        line["ctx"] = old.get("ctx", {})
        lines.append(line)
    return ValidationError.from_exception_data(title, lines)


def _line(loc: tuple[str | int, ...], text: str) -> InitErrorDetails:
    error = PydanticCustomError("mistake", "{text}", {"text": text})
    return InitErrorDetails(type=error, loc=loc, input=None)


def one_of(
    model: type[Model], data: dict[str, Any], keys: tuple[str, ...], noun: str
) -> Iterator[Mistake]:
    """Mistakes of `noun` when not exactly one of `keys` is given; an unknown key excuses none."""
    given = [key for key in keys if data.get(key) is not None]
    listed = ", ".join(keys)
    if len(given) > 1:
        yield (given[1],), f"{noun} has only one of {listed}; here are {' and '.join(given)}"
    elif not given and not set(data) - set(model.model_fields):
        yield (), f"{noun} needs one of {listed}"


def same_names(data: dict[str, Any], key: str, noun: str) -> Iterator[Mistake]:
    """Entries of a list under `key` that share a name."""
    names = [field_of(item, "name") for item in items(data, key)]
    counts = Counter(name for name in names if isinstance(name, str))
    seen: set[str] = set()
    for index, name in enumerate(names):
        if isinstance(name, str) and counts[name] > 1 and name in seen:
            yield (key, index, "name"), f"two {noun}s are named {name!r}"
        elif isinstance(name, str):
            seen.add(name)


def items(data: dict[str, Any], key: str) -> list[Any]:
    """A raw list under `key`, or none."""
    value = data.get(key)
    return value if isinstance(value, list) else []


def field_of(item: Any, key: str) -> Any:
    """A value of a raw mapping or of a model."""
    return item.get(key) if isinstance(item, dict) else getattr(item, key, None)
