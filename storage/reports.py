"""Named questions: the files of queries/reports, their parameters, and how one is run.

A report's first comment line says what it answers. Lines such as `-- param by = 'subject'  words`
declare its parameters: a text in quotes, a whole number, a number with a point, true or false. The
default's type is the parameter's.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from configs.errors import ConfigError
from storage.database import Database, Result
from storage.sqlfiles import SqlFile, sql_files

Value = str | int | float | bool

_PARAM = re.compile(r"^-- param (\w+) = ('[^']*'|\S+)(?:\s+(.*))?$", re.MULTILINE)
# Parameters whose values are names in the store, by the file of queries/known that lists them.
_KNOWN = {"subject": "subject", "arm": "arm", "a": "arm", "b": "arm"}
_KINDS = {bool: "true or false", int: "a whole number", float: "a number"}


@dataclass(frozen=True)
class Param:
    """One parameter of a report."""

    name: str
    default: Value
    meaning: str


@dataclass(frozen=True)
class Report:
    """One named question."""

    name: str
    answers: str
    params: tuple[Param, ...]
    sql: str


def list_reports() -> list[Report]:
    """All reports, by name."""
    return [_report(file) for file in sql_files("reports")]


def find_report(name: str) -> Report:
    """The report of a name; ConfigError with the nearest name when there is none."""
    reports = {report.name: report for report in list_reports()}
    if name in reports:
        return reports[name]
    raise ConfigError(f"there is no report {name}; {_nearest(name, list(reports))}")


def run_report(database: Database, name: str, params: Mapping[str, str] | None = None) -> Result:
    """Answer a named question; parameters come as text, those not given have their defaults."""
    report = find_report(name)
    values = param_values(report, params or {})
    if problems := list(_unknown_names(database, values)):
        raise ConfigError(problems)
    return database.query(report.sql, values)


def param_values(report: Report, given: Mapping[str, str]) -> dict[str, Value]:
    """A value for each parameter of a report; ConfigError with a line for each mistake."""
    known = {param.name: param for param in report.params}
    values = {param.name: param.default for param in report.params}
    problems = []
    for name, text in given.items():
        if name not in known:
            hint = _nearest(name, list(known)) if known else "it has none"
            problems.append(f"report {report.name} has no param {name}; {hint}")
            continue
        kind = type(known[name].default)
        try:
            values[name] = _parse(kind, text)
        except ValueError:
            problems.append(f"param {name} of report {report.name}: {text!r} is not {_KINDS[kind]}")
    if problems:
        raise ConfigError(problems)
    return values


def _unknown_names(database: Database, values: Mapping[str, Value]) -> Iterator[str]:
    """Names that nothing in the store has: an empty answer would look like a result."""
    listings = {file.name: file.text for file in sql_files("known")}
    for param, listing in _KNOWN.items():
        wanted = values.get(param)
        if not wanted:
            continue
        names = [row["name"] for row in database.query(listings[listing]).rows()]
        if names and wanted not in names:
            yield f"param {param}: there is no {listing} {wanted}; {_nearest(str(wanted), names)}"


def _report(file: SqlFile) -> Report:
    first = file.text.splitlines()[0].removeprefix("--").strip()
    params = tuple(
        Param(name, _literal(text), meaning or "")
        for name, text, meaning in _PARAM.findall(file.text)
    )
    return Report(file.name, first, params, file.text)


def _literal(text: str) -> Value:
    if text.startswith("'"):
        return text[1:-1]
    if text in ("true", "false"):
        return text == "true"
    return float(text) if "." in text else int(text)


def _parse(kind: type[Value], text: str) -> Value:
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise ValueError(text)
        return text.lower() == "true"
    return kind(text)


def _nearest(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, 1, 0.5)
    return f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"
