"""Prompts: strict templates, read from configs/prompts or from beside a config, made into messages.

A prompt file is the user's message. The system message is `_system.j2`, unless the file sets
`system` itself. Values may be used, not called upon: templates are sandboxed, since a config with
prompts is something that people send each other.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import jinja2
from jinja2 import meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from configs.errors import ConfigError
from configs.prompt_files import PROMPTS, SUFFIX, is_name, prompt_names
from tasks.contexts import LACKING, prompt_context, repair_context
from tasks.model_records import Message
from tasks.quoting import fenced, quoted
from tasks.records import sha256

SYSTEM = f"_system{SUFFIX}"

__all__ = ["prompt_context", "prompt_names", "render", "repair_context", "template_sha256"]


def render(name_or_path: str, base: Path, context: Mapping[str, Any]) -> tuple[Message, ...]:
    """The system and the user message of a prompt, filled with `context`.

    A name is a built-in prompt; a path is relative to `base` and must not lead out of it.
    ConfigError with file and line when the template is wrong or needs a value that is not there.
    """
    templates = _templates(name_or_path, base)
    try:
        template = templates.environment.get_template(templates.file)
        user = template.render(context).strip()
        if not user:
            raise ConfigError(f"{templates.where}: the prompt is empty")
        system = getattr(template.make_module(dict(context)), "system", None)
        if system is None:
            system = templates.environment.get_template(SYSTEM).render(context)
    except ConfigError:
        raise
    except Exception as error:
        raise ConfigError(templates.explain(error, context)) from None
    return Message("system", str(system).strip()), Message("user", user)


def template_sha256(name_or_path: str, base: Path) -> str:
    """Hash over the template and all that it includes: a prompt that changed is another prompt."""
    templates = _templates(name_or_path, base)
    waiting, seen = [templates.file, SYSTEM], dict[str, str]()
    try:
        while waiting:
            file = waiting.pop()
            if file not in seen:
                seen[file] = templates.load(file)[0]
                found = meta.find_referenced_templates(templates.environment.parse(seen[file]))
                waiting += [each for each in found if each is not None]
    except jinja2.TemplateError as error:
        raise ConfigError(templates.explain(error, {})) from None
    return sha256("\0".join(f"{file}\0{seen[file]}" for file in sorted(seen)).encode())


class _Templates:
    """The files that one prompt may read, and the environment that reads them."""

    def __init__(self, name_or_path: str, base: Path) -> None:
        builtin = is_name(name_or_path)
        self.file = f"{name_or_path}{SUFFIX}" if builtin else name_or_path
        self._roots = [PROMPTS] if builtin else [base, PROMPTS]
        self._loaded: set[str] = set()
        self.where = str(self._roots[0] / self.file)
        self.environment = ImmutableSandboxedEnvironment(
            undefined=jinja2.StrictUndefined,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
            loader=jinja2.FunctionLoader(self.load),
        )
        self.environment.filters.update(fenced=fenced, quoted=quoted)

    def load(self, file: str) -> tuple[str, str, Callable[[], bool]]:
        """Text and path of a template of one of the roots, and whether that is still its text."""
        for root in self._roots:
            path = root / file
            if _is_inside(path, root) and path.is_file():
                text = path.read_text("utf-8")
                self._loaded.add(str(path))
                return text, str(path), partial(_holds, path, text)
        raise jinja2.TemplateNotFound(file)

    def explain(self, error: Exception, context: Mapping[str, Any]) -> str:
        """One line: file, line, and what is wrong there."""
        if isinstance(error, jinja2.TemplateNotFound):
            inside = " or ".join(map(str, self._roots))
            return f"{self.where}: no prompt file {error.name} in {inside}"
        if isinstance(error, UnicodeDecodeError | OSError):
            return f"{self.where}: cannot be read: {error}"
        place = self._place(error)
        if isinstance(error, jinja2.TemplateSyntaxError):
            place = f"{error.filename or self.where}:{error.lineno}"
        text = f"{place}: {_one_line(error)}"
        if isinstance(error, jinja2.UndefinedError):
            lacking = [v for k, v in LACKING.items() if f"'{k}' is undefined" == str(error)]
            text += f": {lacking[0]}" if lacking else ""
        return text + (f" (subject {context['subject']})" if "subject" in context else "")

    def _place(self, error: Exception) -> str:
        """File and line of the innermost template that was being filled."""
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            if frame.filename in self._loaded:
                return f"{frame.filename}:{frame.lineno}"
        return self.where


@lru_cache(maxsize=64)
def _templates(name_or_path: str, base: Path) -> _Templates:
    """Kept, since compiling a template takes a hundred times as long as filling it."""
    return _Templates(name_or_path, base)


def _is_inside(path: Path, root: Path) -> bool:
    """Whether the path, with all links followed, lies in the folder."""
    return path.resolve().is_relative_to(root.resolve())


def _holds(path: Path, text: str) -> bool:
    """Whether the file still is what it was."""
    return path.is_file() and path.read_text("utf-8") == text


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
