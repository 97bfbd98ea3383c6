"""docs/store.md and docs/queries.md name what there is, all of it and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

from storage.reports import list_reports
from storage.sqlfiles import QUERIES, sql_files
from storage.tables import NAMES, schema

DOCS = QUERIES.parent / "docs"


def section(page: str, title: str) -> str:
    text = (DOCS / page).read_text("utf-8")
    return text.split(f"\n## {title}\n")[1].split("\n## ")[0]


def table_rows(text: str) -> dict[str, str]:
    """Rows of a table by the code in their first column."""
    found = re.findall(r"^\| (`.+?) \| (.+) \|$", text, re.MULTILINE)
    return {name: rest for names, rest in found for name in re.findall(r"`(\w+)", names)}


def test_every_column_of_every_table_is_listed() -> None:
    rows = table_rows(section("store.md", "Tables"))
    assert list(rows) == list(NAMES)
    for name, rest in rows.items():
        assert re.findall(r"`(\w+)`", rest) == schema(name).names


def test_every_report_is_listed_with_its_grain_and_parameters() -> None:
    rows = table_rows(section("queries.md", "Reports"))
    reports = {report.name: report for report in list_reports()}
    assert set(rows) == set(reports)
    for name, report in reports.items():
        grain, params = rows[name].split(" | ") if " | " in rows[name] else (rows[name][:-2], "")
        assert f"-- grain: {grain}" in report.sql
        own = {param.name for param in report.params} - {"subject", "arm"}
        assert set(re.findall(r"`(\w+)`", params)) - {"arm"} == own


def test_every_view_and_macro_is_listed() -> None:
    views = {file.name for file in sql_files("views")} | {"experiments"}
    assert set(table_rows(section("queries.md", "Definitions"))) == views
    text = "".join(file.text for file in sql_files("macros"))
    macros = set(re.findall(r"CREATE OR REPLACE MACRO (\w+)", text))
    helpers = {name for name in macros if name.startswith(("mix", "resample_", "drawn_"))}
    helpers |= {"steady_sum", "sorted_quantile"}
    assert set(table_rows(section("queries.md", "Formulas"))) == macros - helpers


def test_every_report_has_its_measured_time() -> None:
    rows = table_rows(section("queries.md", "Speed"))
    assert set(rows) == {report.name for report in list_reports()}


def test_pages_link_to_pages_that_are_there() -> None:
    for page in ("store.md", "queries.md"):
        for link in re.findall(r"\]\((\w+\.md)\)", (DOCS / page).read_text("utf-8")):
            assert Path(DOCS / link).exists()
