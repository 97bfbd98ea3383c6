"""Every example of the documentation and of the commands' help is a command that is understood."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cluster.cli import main

ROOT = Path(__file__).parents[2]
DOCS = {path.name: path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}
DOCS["README.md"] = (ROOT / "README.md").read_text("utf-8")
DOCS |= {
    f"killgrid {name} --help": CliRunner().invoke(main, [name, "--help"]).stdout
    for name in main.commands
}


def examples(text: str) -> list[str]:
    """Lines of code that call killgrid, without their comments and redirections."""
    code = "\n".join(re.findall(r"^```[^\n]*\n(.*?)^```", text, flags=re.M | re.S))
    lines = re.findall(r"^[ $]*(?:\.venv/bin/)?(killgrid [^\n]*)$", code, flags=re.M)
    return [re.split(r"  +#| [<>|] ", line)[0] for line in lines if not line.endswith(("…", "..."))]


EXAMPLES = [(name, line) for name, text in DOCS.items() for line in examples(text)]


@pytest.mark.parametrize(("where", "line"), EXAMPLES)
def test_an_example_has_only_commands_and_options_that_exist(where: str, line: str) -> None:
    words = shlex.split(line)[1:]
    if not words or words[0].startswith(("-", "COMMAND", "[")):
        return
    command = main.commands[words[0]]
    context = click.Context(command, info_name=words[0])
    options, _, _ = command.make_parser(context).parse_args(args=words[1:])
    if str(options.get("file", "")).startswith("configs/"):
        assert (ROOT / options["file"]).is_file(), where


def test_every_command_has_an_example_in_the_documentation() -> None:
    documented = {shlex.split(line)[1] for line in examples(DOCS["commands.md"])}
    assert set(main.commands) <= documented


def test_the_documented_exit_codes_are_those_of_the_group() -> None:
    codes = re.findall(r"^\| (\d+) \|", DOCS["commands.md"], flags=re.M)
    told = re.findall(r"^ +(\d+) +\w", CliRunner().invoke(main, ["--help"]).stdout, flags=re.M)
    assert set(codes) - {"141"} == set(told)
