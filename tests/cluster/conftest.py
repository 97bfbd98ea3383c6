"""One real local Ray for every test here: it takes seconds to start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cluster.ray_session import RaySession, ray_session


@pytest.fixture(scope="session")
def local_ray() -> Iterator[RaySession]:
    with ray_session(cpus=2) as session:
        yield session
