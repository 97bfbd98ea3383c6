"""Ray knows the settings of ray.env, and the pages explain each of them."""

from __future__ import annotations

from pathlib import Path

import pytest
import ray

from tests.deploy.parts import ROOT, settings

PAGE = (ROOT / "docs/cluster.md").read_text()
COMMON = settings("ray.env")
# Read by the C++ part under their own names; the others by Python files of Ray's.
CORE = sorted(name for name in COMMON if name.startswith(("RAY_health", "RAY_grpc")))
OTHERS = sorted(COMMON.keys() - set(CORE))


@pytest.mark.parametrize("name", CORE)
def test_ray_has_a_setting_of_that_name(name: str) -> None:
    library = Path(ray.__file__).parent / "_raylet.so"
    assert name.removeprefix("RAY_").encode() in library.read_bytes()


@pytest.mark.parametrize("name", OTHERS)
def test_a_file_of_rays_reads_that_variable(name: str) -> None:
    folder = Path(ray.__file__).parent
    places = ("_private/authentication", "dashboard/modules/job", "_common/usage")
    files = [path for place in places for path in (folder / place).rglob("*.py")]
    assert any(name in path.read_text() for path in files)


@pytest.mark.parametrize("name", sorted(COMMON))
def test_the_page_explains_the_setting(name: str) -> None:
    assert f"`{name}" in PAGE or name.rsplit("_", 1)[0] in PAGE


def test_deaths_are_noticed_within_seconds_and_blips_are_survived() -> None:
    patience_ms = int(COMMON["RAY_health_check_failure_threshold"]) * (
        int(COMMON["RAY_health_check_period_ms"]) + int(COMMON["RAY_health_check_timeout_ms"])
    )
    assert 5_000 <= patience_ms <= 15_000
