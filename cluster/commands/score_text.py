"""What `killgrid score` prints: the score, and the survivors with the tests that came near."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from typing import Any

import click

from configs.errors import SelfCheckError
from storage.database import connect
from storage.reports import run_report

COUNTS = ("mutants", "killed", "timeout", "survived", "not_covered")
DROPPED = ("flaky", "wrong_oracle", "fails_control")
SHOWN = ("mutant", "verdict", "path", "line", "operator", "diff", "near", "near_tests")


def print_score(store: str, experiment_id: str, form: str) -> None:
    """Print the result of one suite on one subject; SelfCheckError when it cannot be scored."""
    with connect(store, experiment_id) as database:
        total = run_report(database, "mutation_score").rows()[0]
        suite = run_report(database, "suite_validity").rows()[0]
        survivors = run_report(database, "survivors").rows()
    if suite["status"] != "valid" or total["score"] is None:
        why = suite["example"] or "no mutant could be executed"
        raise SelfCheckError(f"no score: the suite is {suite['status']}: {why}")
    shown = [{key: row[key] for key in SHOWN} for row in survivors]
    if form == "json":
        # Sums of DuckDB are wider than 64 bits and come as decimals: whole numbers all the same.
        click.echo(json.dumps(_document(total, suite, shown), indent=2, default=int))
    elif form == "csv":
        _csv(shown)
    else:
        click.echo("\n".join([*_survivors(shown), *_summary(total, suite)]))


def _document(
    total: dict[str, Any], suite: dict[str, Any], survivors: list[dict[str, Any]]
) -> dict[str, Any]:
    tests = {key: suite[key] for key in ("tests", "kept", *DROPPED)}
    return {
        "subject": total["subjects"],
        "score": total["score"],
        **{key: total[key] for key in COUNTS},
        "tests": tests,
        "survivors": survivors,
    }


def _csv(survivors: list[dict[str, Any]]) -> None:
    writer = csv.DictWriter(sys.stdout, SHOWN)
    writer.writeheader()
    for row in survivors:
        writer.writerow(row | {"near_tests": "\n".join(row["near_tests"])})


def _summary(total: dict[str, Any], suite: dict[str, Any]) -> Iterator[str]:
    caught = total["killed"] + total["timeout"]
    yield f"{total['subjects']}: mutation score {total['score']:.3f}"
    yield (
        f"{caught} of {total['mutants']} mutants killed ({total['timeout']} of them by timeouts or "
        f"crashes only), {total['survived']} survived, {total['not_covered']} not covered"
    )
    dropped = [f"{suite[key]} {key}" for key in DROPPED]
    kept = [text.replace("_", " ") for text in dropped if not text.startswith("0 ")]
    note = f"; left out: {', '.join(kept)}" if kept else ""
    yield f"{suite['kept']} of {suite['tests']} tests count{note}"


def _survivors(survivors: list[dict[str, Any]]) -> Iterator[str]:
    for row in survivors:
        verdict = row["verdict"].replace("_", " ")
        yield f"{verdict}: {row['mutant']} ({row['operator']}) {row['path']}:{row['line']}"
        yield from (f"    {line}".rstrip() for line in row["diff"].splitlines())
        if row["near"]:
            yield f"  {row['near']} {'tests' if row['near'] > 1 else 'test'} came near:"
            yield from (f"    {name}" for name in row["near_tests"])
        if (more := row["near"] - len(row["near_tests"])) > 0:
            yield f"    and {more} more"
        yield ""
