"""The command line itself: help, exit codes, and how errors look."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cluster.cli import CommandLine, main
from cluster.commands.options import Command, debug_option
from configs.errors import (
    ConfigError,
    InfraError,
    Interrupted,
    KillgridError,
    NotFoundError,
    SandboxError,
    SelfCheckError,
)

KILLGRID = [sys.executable, "-c", "from cluster.cli import main; main(prog_name='killgrid')"]


def failing(error: BaseException) -> CommandLine:
    """A command line like killgrid's with one command, which raises `error`."""

    @click.command(cls=Command)
    def fail() -> None:
        raise error

    group = CommandLine("killgrid", commands=[fail])
    group.params.append(debug_option())
    return group


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SelfCheckError("x"), 1),
        (ConfigError("x"), 2),
        (NotFoundError("x"), 3),
        (SandboxError("x"), 4),
        (InfraError("x"), 5),
        (KillgridError("x"), 5),
    ],
)
def test_each_kind_of_error_has_its_exit_code_and_one_line(error: Exception, code: int) -> None:
    result = CliRunner().invoke(failing(error), ["fail"])
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr == "killgrid: error: x\n"


def test_problems_of_a_config_are_a_line_each() -> None:
    result = CliRunner().invoke(failing(ConfigError(["a:1: x", "a:2: y"])), ["fail"])
    assert result.stderr == "killgrid: error: a:1: x\nkillgrid: error: a:2: y\n"


def test_an_unexpected_exception_is_one_line_with_a_hint() -> None:
    result = CliRunner().invoke(failing(ValueError("two\nlines")), ["fail"])
    assert result.exit_code == 5
    assert result.stderr == (
        "killgrid: error: unexpected ValueError: two lines; `killgrid --debug` shows where\n"
    )


@pytest.mark.parametrize("arguments", [["--debug", "fail"], ["fail", "--debug"]])
def test_debug_shows_the_trace_wherever_it_stands(arguments: list[str]) -> None:
    result = CliRunner().invoke(failing(NotFoundError("gone")), arguments)
    assert result.exit_code == 3
    assert "Traceback" in result.stderr
    assert result.stderr.endswith("killgrid: error: gone\n")


def test_an_interrupt_ends_with_130_and_no_trace() -> None:
    result = CliRunner().invoke(failing(KeyboardInterrupt()), ["fail"])
    assert (result.exit_code, result.stderr) == (130, "killgrid: interrupted\n")


def test_a_clean_stop_says_what_is_stored_and_is_no_error() -> None:
    result = CliRunner().invoke(failing(Interrupted("interrupted: 1 of 2 cells")), ["fail"])
    assert (result.exit_code, result.stderr) == (130, "killgrid: interrupted: 1 of 2 cells\n")


def test_a_reader_that_leaves_early_is_not_an_error() -> None:
    run = subprocess.Popen(
        [*KILLGRID, "schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )
    assert run.stdout
    assert run.stderr
    run.stdout.close()
    assert (run.stderr.read(), run.wait()) == (b"", 141)


def test_a_wrong_option_is_exit_code_2() -> None:
    result = CliRunner().invoke(main, ["schema", "--nope"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "No such option '--nope'" in result.stderr


@pytest.mark.parametrize("name", [[], *([name] for name in main.commands)])
def test_every_command_has_help_with_an_example(name: list[str]) -> None:
    result = CliRunner().invoke(main, [*name, "--help"])
    assert result.exit_code == 0
    assert "  killgrid " + " ".join(name) in result.output.split("Usage:", 1)[1].split("\n", 1)[1]


def test_help_of_the_group_documents_every_exit_code() -> None:
    result = CliRunner().invoke(main, ["--help"])
    for kind in KillgridError.__subclasses__():
        assert f"\n    {kind.exit_code} " in result.output


def test_no_module_of_a_heavy_library_is_needed_for_help() -> None:
    code = (
        "import sys, cluster.cli; "
        "print([m for m in ('ray', 'duckdb', 'pyarrow', 'pydantic', 'rich') if m in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


def test_version_is_the_version_of_the_project() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    result = CliRunner().invoke(main, ["--version"])
    version = result.output.strip().removeprefix("killgrid ")
    assert f'version = "{version}"' in text


def test_schema_is_json_schema_that_refuses_unknown_keys() -> None:
    result = CliRunner().invoke(main, ["schema"])
    schema = json.loads(result.stdout)
    assert schema["additionalProperties"] is False
    assert {"experiment", "subjects", "arms"} == set(schema["required"])
