"""A new user who follows the pages finds what they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.deploy.parts import DEPLOY, ROOT

PAGES = [ROOT / "docs/cluster.md", *sorted(DEPLOY.glob("*/README.md"))]


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", page.read_text())
    assert links
    for path, anchor in links:
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), path
        if anchor:
            assert anchor in anchors(target), f"{path}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_jobs_are_submitted_so_that_stopping_them_reaches_the_driver(page: Path) -> None:
    submitted = re.findall(r"ray job submit\b[^\n]*-- ([^\n]+)", page.read_text())
    assert submitted
    assert [each for each in submitted if not each.startswith("exec killgrid run ")] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_of_the_checkout_that_a_page_names_are_there(page: Path) -> None:
    named = set(
        re.findall(r"(?:/opt/killgrid/|[ (`=])((?:deploy|configs)/[\w./-]+\w)", page.read_text())
    )
    assert [name for name in named if not (ROOT / name).exists()] == []
