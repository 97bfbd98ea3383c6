"""Reads the files of deploy/ for the tests here."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
_PIN = re.compile(r"^([a-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)


def text(name: str) -> str:
    return (DEPLOY / name).read_text()


def documents(name: str) -> list[dict[str, Any]]:
    """The documents of a YAML file."""
    return list(yaml.safe_load_all(text(name)))


def document(name: str) -> dict[str, Any]:
    (only,) = documents(name)
    return only


def policy(name: str) -> list[dict[str, Any]]:
    """The statements of an IAM policy, by the name in `iam-<name>.json`."""
    statements: list[dict[str, Any]] = json.loads(text(f"aws/iam-{name}.json"))["Statement"]
    return statements


def settings(name: str) -> dict[str, str]:
    """An environment file."""
    lines = [line for line in text(name).splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def pins(path: Path) -> dict[str, str]:
    """Versions by package of a lock file."""
    return dict(_PIN.findall(path.read_text()))


def instructions() -> list[tuple[str, str]]:
    """The Containerfile's instructions with their arguments, continued lines joined."""
    lines = [line for line in text("Containerfile").splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    words = [line.split(None, 1) for line in joined.splitlines() if line.strip()]
    return [(name, " ".join(argument.split())) for name, argument in words]


def container_settings() -> dict[str, str]:
    """All variables that the image sets."""
    found: dict[str, str] = {}
    for name, argument in instructions():
        if name == "ENV":
            found |= dict(pair.split("=", 1) for pair in argument.split())
    return found
