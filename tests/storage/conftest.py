from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from tests.storage.stores import Lab

# How long an example takes depends on what else the machine does.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path / "store")
