"""Where prompts are: built-in ones by name, others by a path beside the config."""

from __future__ import annotations

import re
from pathlib import Path

from configs.messages import nearest

PROMPTS = Path(__file__).parent / "prompts"
SUFFIX = ".j2"


def prompt_names() -> list[str]:
    """Names of the built-in prompts; files that begin with `_` are parts of them."""
    return sorted(p.stem for p in PROMPTS.glob(f"*{SUFFIX}") if not p.name.startswith("_"))


def is_name(text: str) -> bool:
    """Whether a prompt is given by name; whatever holds a dot or a slash is a path."""
    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", text) is not None


def fault_of(prompt: str, base: Path) -> str:
    """What is wrong with a prompt that a config names, or nothing."""
    if is_name(prompt):
        known = prompt_names()
        if prompt in known:
            return ""
        near = nearest(prompt, known)
        hint = f"did you mean {near}?" if near else f"there are {', '.join(known)}"
        return f"no prompt {prompt!r}; {hint}"
    path = (base / prompt).resolve()
    if not path.is_relative_to(base.resolve()):
        return f"the prompt file {prompt} is outside of the config's folder {base}"
    return "" if path.is_file() else f"no prompt file {prompt} in {base}"
