"""What is wrong with a config, in words a user can act on."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from pydantic_core import ErrorDetails

from configs.places import Loc
from configs.schema import ExperimentConfig

PATTERNS = {
    "pypi": "must be a package and its exact version, such as idna==3.16",
    "rev": "must be the full hash of a commit, 40 hex digits",
    "python": "must be a version of Python, such as '3.11'",
    "model": "must be provider/model, as in anthropic/claude-sonnet-5, or each (of `models`)",
    "models": "must be provider/model, as in anthropic/claude-sonnet-5",
}
NAME = "must begin with a letter or digit and go on with letters, digits, '.', '_' or '-'"

TYPES = {
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "list_type": "must be a list",
    "dict_type": "must be a mapping of keys to values",
    "model_type": "must be a mapping of keys to values",
    "model_attributes_type": "must be a mapping of keys to values",
    "finite_number": "must be a finite number",
    "invalid_key": "keys must be text",
}
BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
}


def explain(error: ErrorDetails, loc: Loc, written: str) -> str:
    """One line for a validation error at `loc`; `written` is the scalar's own text, if any."""
    kind, ctx, value = error["type"], error.get("ctx", {}), error["input"]
    shown = _shown(value)
    if kind == "mistake":
        return str(ctx["text"])
    if kind == "extra_forbidden":
        return unknown_key(loc)
    if kind == "missing":
        return f"{loc[-1]} is missing"
    if kind == "literal_error":
        return f"must be {ctx['expected']}, not {shown}"
    if kind == "string_pattern_mismatch":
        key = next(step for step in reversed(loc) if isinstance(step, str))
        return f"{PATTERNS.get(key, NAME)}, not {shown}"
    if kind in BOUNDS:
        key, words = BOUNDS[kind]
        return f"must be {words} {ctx[key]}, not {shown}"
    if kind in ("too_short", "string_too_short"):
        return "must not be empty"
    if kind == "string_type" and isinstance(value, bool | int | float) and written:
        return f"must be text; write it in quotes: '{written}'"
    return f"{TYPES[kind]}, not {shown}" if kind in TYPES else error["msg"]


def unknown_key(loc: Loc) -> str:
    """Says that the last key of `loc` is unknown there, and what may have been meant."""
    key, above = str(loc[-1]), loc[:-1]
    known = known_keys(above)
    if key in known:
        return f"{key} does not go with the other keys here"
    if near := nearest(key, known):
        return f"unknown key {key}; did you mean {near}?"
    homes = [s for s in ("execution", "limits") if key in known_keys((s,)) and above != (s,)]
    if homes:
        return f"unknown key {key} here; it belongs under {homes[0]}"
    return f"unknown key {key}; known here: {', '.join(known)}"


def meant_key(loc: Loc) -> Loc:
    """The path that an unknown key at `loc` was probably meant to be, or `loc` itself."""
    return (*loc[:-1], nearest(str(loc[-1]), known_keys(loc[:-1])) or loc[-1])


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that is most like `word`, or nothing."""
    return next(iter(get_close_matches(word, list(known), n=1, cutoff=0.6)), "")


def known_keys(loc: Loc) -> list[str]:
    """Keys that the schema has at `loc`, in its order."""
    schema = ExperimentConfig.model_json_schema()
    nodes = _expand(schema, schema["$defs"])
    for step in loc:
        key = "items" if isinstance(step, int) else "properties"
        found = [n[key] if key == "items" else n[key].get(step, {}) for n in nodes if key in n]
        nodes = [deeper for node in found for deeper in _expand(node, schema["$defs"])]
    return list(dict.fromkeys(key for node in nodes for key in node.get("properties", {})))


def _expand(node: dict[str, Any], defs: dict[str, Any]) -> list[dict[str, Any]]:
    if "$ref" in node:
        return _expand(defs[node["$ref"].rsplit("/", 1)[1]], defs)
    choices = node.get("anyOf", []) + node.get("oneOf", [])
    return [node] + [deeper for choice in choices for deeper in _expand(choice, defs)]


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
