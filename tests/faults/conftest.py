from __future__ import annotations

import pytest

from tests.faults.network import possible
from tests.storage.conftest import moto, s3_credentials

__all__ = ["moto", "s3_credentials"]


@pytest.fixture(scope="session")
def own_network() -> None:
    """Skips where networks of our own cannot be made."""
    if why := possible():
        pytest.skip(why)
