"""systemd takes the units, and they keep Ray running as a node that was lost needs it."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.parts import DEPLOY, settings, text

ROLES = ("head", "worker")
SYSTEMD = shutil.which("systemd-analyze")
RAY = "/opt/killgrid/.venv/bin/ray"


def unit(role: str) -> dict[str, list[str]]:
    """The service section; a key may stand more than once."""
    found: dict[str, list[str]] = {}
    for line in text(f"byhand/killgrid-ray-{role}.service").partition("[Service]")[2].splitlines():
        if "=" in line and not line.startswith("#"):
            found.setdefault(line.partition("=")[0], []).append(line.partition("=")[2])
    return found


def start(role: str) -> list[str]:
    (line,) = unit(role)["ExecStart"]
    return shlex.split(line)


def inside_container(role: str) -> list[str]:
    """What the container is told to run."""
    line = text(f"byhand/{role}-container.conf").strip().splitlines()[-1]
    return shlex.split(line.partition("${IMAGE} ")[2])


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.skipif(SYSTEMD is None, reason="systemd is not here")
def test_systemd_takes_the_unit_alone_and_with_the_container(role: str, tmp_path: Path) -> None:
    name = f"killgrid-ray-{role}.service"
    there = {RAY: sys.executable, "/usr/bin/docker": sys.executable}
    for folder, drop_in in (("alone", False), ("container", True)):
        place = tmp_path / folder
        (place / f"{name}.d").mkdir(parents=True)
        files = {place / name: text(f"byhand/{name}")}
        if drop_in:
            files[place / f"{name}.d/container.conf"] = text(f"byhand/{role}-container.conf")
        for path, words in files.items():
            for old, new in there.items():
                words = words.replace(old, new)
            path.write_text(words)
        command = [str(SYSTEMD), "verify", "--man=no", str(place / name)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert [line for line in done.stderr.splitlines() if name in line] == []
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("role", ROLES)
def test_a_node_is_started_again_whenever_it_ends(role: str) -> None:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.read_string(text(f"byhand/killgrid-ray-{role}.service"))
    assert parser["Unit"]["StartLimitIntervalSec"] == "0"
    assert parser["Service"]["Restart"] == "always"
    assert start(role)[:4] == [RAY, "start", "--block", start(role)[3]]


@pytest.mark.parametrize("role", ROLES)
def test_one_test_without_memory_does_not_stop_the_node(role: str) -> None:
    assert unit(role)["OOMPolicy"] == ["continue"]


@pytest.mark.parametrize("role", ROLES)
def test_nothing_covers_proc_or_forbids_namespaces(role: str) -> None:
    harmful = r"ProtectKernel|ProtectProc|ProcSubset|RestrictNamespaces|PrivateUsers|PrivateDevices"
    assert not re.search(harmful, text(f"byhand/killgrid-ray-{role}.service"))


@pytest.mark.parametrize("role", ROLES)
def test_variables_come_from_the_files_that_come_along(role: str) -> None:
    used = set(re.findall(r"\$\{(\w+)\}", " ".join(start(role))))
    assert used <= settings("byhand/node.env").keys()
    assert unit(role)["EnvironmentFile"] == ["/etc/killgrid/ray.env", "/etc/killgrid/node.env"]


def test_the_head_runs_no_tests_and_its_dashboard_is_not_on_the_network() -> None:
    assert "--num-cpus=0" in start("head")
    assert "--dashboard-host=127.0.0.1" in start("head")


@pytest.mark.parametrize("role", ROLES)
def test_each_node_says_how_much_memory_ray_may_use(role: str) -> None:
    assert "--memory=${NODE_MEMORY}" in start(role)


@pytest.mark.parametrize("role", ROLES)
def test_the_container_starts_ray_as_the_checkout_does(role: str) -> None:
    assert inside_container(role) == ["ray", *start(role)[1:]]


@pytest.mark.parametrize("role", ROLES)
def test_the_container_gets_the_rights_of_the_sandbox_and_no_other(role: str) -> None:
    words = text(f"byhand/{role}-container.conf")
    assert "--cap-drop=ALL" in words
    assert "--privileged" not in words
    for option in ("apparmor=unconfined", "systempaths=unconfined", "no-new-privileges"):
        assert f"--security-opt={option}" in words


def test_a_job_has_the_time_to_store_what_is_finished() -> None:
    (most,) = unit("head")["TimeoutStopSec"]
    assert int(most) > int(settings("ray.env")["RAY_JOB_STOP_WAIT_TIME_S"])


def test_the_page_names_every_file_of_its_folder() -> None:
    page = text("byhand/README.md")
    names = [path.name for path in (DEPLOY / "byhand").iterdir() if path.name != "README.md"]
    assert [name for name in names if name not in page] == []
