"""The image has what is locked, and says of itself what the other files rely on."""

from __future__ import annotations

import re
import subprocess
import tomllib

from tests.deploy.parts import (
    DEPLOY,
    ROOT,
    container_settings,
    documents,
    instructions,
    pins,
    settings,
    text,
)

LOCK = DEPLOY / "requirements.lock"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def arguments(name: str) -> list[str]:
    return [argument for each, argument in instructions() if each == name]


def requirements(lines: list[str]) -> set[str]:
    return {re.split(r"[\[<>=!~; ]", line)[0] for line in lines}


def test_whatever_is_copied_into_the_image_is_in_the_checkout() -> None:
    sources = [source for each in arguments("COPY") for source in each.split()[:-1]]
    assert sources == ["deploy/requirements.lock", "."]
    listed = ["git", "ls-files", "--error-unmatch", *sources]
    assert subprocess.run(listed, cwd=ROOT, capture_output=True).returncode == 0


def test_packages_come_from_the_lock_by_hash_and_in_no_other_way() -> None:
    installs = [run for run in arguments("RUN") if "pip install" in run]
    assert len(installs) == 2
    assert "--require-hashes --requirement deploy/requirements.lock" in installs[0]
    assert "--no-deps" in installs[1]
    assert "--no-build-isolation --no-index" in installs[1]


def test_every_package_of_the_lock_has_hashes() -> None:
    entries = re.split(r"^(?=[a-z0-9._-]+==)", LOCK.read_text(), flags=re.MULTILINE)[1:]
    assert len(entries) > 60
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_image_has_the_versions_that_are_tested() -> None:
    tested, shipped = pins(ROOT / "requirements.lock"), pins(LOCK)
    differing = {name for name in tested.keys() & shipped.keys() if tested[name] != shipped[name]}
    assert differing == set()
    assert requirements(PROJECT["project"]["dependencies"]) <= shipped.keys()
    assert "pytest" not in requirements(text("requirements.in").splitlines())


def test_what_builds_killgrid_is_locked_too() -> None:
    (backend,) = PROJECT["build-system"]["requires"]
    assert backend in text("requirements.in").splitlines()
    assert f"hatchling=={pins(LOCK)['hatchling']}" == backend


def test_the_dashboard_that_takes_jobs_is_in_the_image() -> None:
    assert "ray[default]" in text("requirements.in").splitlines()
    assert {"aiohttp", "aiohttp-cors", "virtualenv"} <= pins(LOCK).keys()


def test_kuberay_is_told_the_ray_of_the_image() -> None:
    (cluster,) = documents("kubernetes/raycluster.yaml")
    assert cluster["spec"]["rayVersion"] == pins(LOCK)["ray"]


def test_the_interpreter_is_the_one_that_the_project_asks_for() -> None:
    assert PROJECT["project"]["requires-python"] == ">=3.11,<3.12"
    assert "python3.11-venv" in arguments("RUN")[0]


def test_the_image_runs_as_a_plain_user_whose_number_kubernetes_can_see() -> None:
    assert arguments("USER") == ["1000:1000"]
    assert instructions()[-1] == ("CMD", '["bash"]')  # Ray's launcher appends its own command
    assert container_settings()["HOME"] == "/home/killgrid"  # it asks the image for this
    assert arguments("ENTRYPOINT") == []


def test_login_shells_find_ray_as_well() -> None:
    (line,) = re.findall(r"echo '(export PATH=[^']+)' > /etc/profile.d/", text("Containerfile"))
    folder = container_settings()["PATH"].split(":")[0]
    assert line == f"export PATH={folder}:$PATH"


def test_all_nodes_have_the_same_settings_however_they_came_up() -> None:
    common = settings("ray.env")
    assert {k: v for k, v in container_settings().items() if k.startswith("RAY_")} == common
    assert common["RAY_AUTH_MODE"] == "token"


def test_the_driver_sets_what_the_nodes_have() -> None:
    from cluster.ray_session import CONNECTED_SETTINGS

    common = settings("ray.env")
    assert CONNECTED_SETTINGS.items() <= common.items()
