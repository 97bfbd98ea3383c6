"""`killgrid score`: the mutation score of a project's own tests, with no config file."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cluster.commands.options import (
    Command,
    cpus_option,
    quiet_option,
    set_option,
)
from configs.errors import Interrupted

if TYPE_CHECKING:
    from configs.schema import ExperimentConfig

ARM = "existing"


@click.command(cls=Command, short_help="Mutation score of a project's own tests, with no config.")
@click.argument("path", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option(
    "--target",
    "targets",
    multiple=True,
    required=True,
    help="File or glob to mutate, in PATH; repeatable.",
)
@click.option("--tests", multiple=True, help="Tests in PATH; repeatable; default: tests/ or test/.")
@click.option("--environment", multiple=True, help="A package that the tests need; repeatable.")
@click.option(
    "--plugin", "plugins", multiple=True, help="Module of a pytest plugin to load; repeatable."
)
@click.option(
    "--import-root", "roots", multiple=True, help="Folder of PATH to import from; repeatable."
)
@set_option
@click.option("--store", metavar="URI", help="Keep the full kill matrix here.")
@cpus_option
@quiet_option
@click.option(
    "--format", "form", type=click.Choice(["table", "csv", "json"]), default="table",
    show_default=True, help="table to read; json with everything; csv of the survivors.",
)  # fmt: skip
def score(
    path: Path,
    targets: tuple[str, ...],
    tests: tuple[str, ...],
    environment: tuple[str, ...],
    plugins: tuple[str, ...],
    roots: tuple[str, ...],
    overrides: tuple[str, ...],
    store: str | None,
    cpus: int | None,
    quiet: bool,
    form: str,
) -> None:
    """Print the mutation score of the tests of the project at PATH.

    First every mutant that was not killed, with its diff and the tests that came near: those that
    executed the mutated code and passed all the same. Then the score. The project is only read.

    \b
    Examples:
      killgrid score path/to/project --target src/package/module.py
      killgrid score . --target 'package/*.py' --tests tests/unit --environment attrs
      killgrid score . --target package/core.py --store results/core --format json
      killgrid score . --target package/core.py --set mutants.0.limit=50
    """
    from cluster.commands.score_text import print_score
    from cluster.driver import run_experiment
    from cluster.options import RunOptions

    subject = {
        "project": str(path.resolve()),
        "targets": [_in_tree(path, target) for target in targets],
        "tests": [_in_tree(path, each) for each in tests],
        "environment": list(environment),
        "plugins": list(plugins),
        "import_roots": list(roots),
    }
    config = score_config(subject, overrides)
    with _store(store) as uri:
        options = RunOptions(store=uri, cpus=cpus, progress=not quiet)
        summary = run_experiment(config, Path.cwd(), options)
        summary.verify()
        print_score(uri, summary.experiment_id, form)


def score_config(subject: dict[str, Any], overrides: tuple[str, ...]) -> ExperimentConfig:
    """An experiment of one project, mutmut's mutants and the project's own tests."""
    from configs.loading import make_config

    values = {
        "experiment": "score",
        "subjects": [subject],
        "mutants": [{"engine": "mutmut"}],
        "arms": [{"name": ARM, "writer": {"files": "existing"}}],
    }
    return make_config(values, Path.cwd(), overrides)


def _in_tree(project: Path, name: str) -> str:
    """A path of the tree; one that was typed from where the user stands is made relative to it."""
    place, separator, test = name.partition("::")
    typed, root = Path(place), project.resolve()
    if (root / place).exists() and not typed.is_absolute():
        return name
    if not typed.exists() or not typed.resolve().is_relative_to(root):
        return name
    return typed.resolve().relative_to(root).as_posix() + separator + test


@contextlib.contextmanager
def _store(given: str | None) -> Iterator[str]:
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="killgrid-score-") as folder:
        try:
            yield folder
        except Interrupted:
            raise Interrupted("interrupted; with --store what is done stays done") from None
