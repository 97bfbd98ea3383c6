"""Packages by name: pins, preferences, and uv's reasons on one line."""

from pathlib import Path

import pytest

from configs.errors import InfraError, NotFoundError
from tasks import packages
from tasks.packages import DEFAULT_REQUIREMENTS, find_release, lock_lines, one_line, resolve
from tests.tasks.packaging_helpers import make_sdist, make_wheel, shelf

__all__ = ["shelf"]


def test_the_lock_pins_everything_the_default_environment_holds() -> None:
    names = {line.split("==")[0] for line in lock_lines()}
    assert all(line.count("==") == 1 for line in lock_lines())
    assert {"pytest", "hypothesis", "pluggy", "iniconfig", "packaging"} <= names
    assert resolve(DEFAULT_REQUIREMENTS, "3.11", Path("/nonexistent")) == lock_lines()


def test_needs_are_resolved_to_pins_once(shelf: Path, tmp_path: Path) -> None:
    make_wheel(shelf, {"killgrid_demo.py": ""}, requires=["killgrid-need>=1"])
    make_wheel(shelf, {"killgrid_need.py": ""}, name="killgrid-need", version="1.5")
    pins = ("killgrid-demo==1.0", "killgrid-need==1.5")
    assert resolve(["killgrid-demo"], "3.11", tmp_path) == pins
    make_wheel(shelf, {"killgrid_need.py": ""}, name="killgrid-need", version="2.0")
    assert resolve(["killgrid-demo"], "3.11", tmp_path) == pins
    assert resolve(["killgrid-demo"], "3.11", tmp_path / "other")[1] == "killgrid-need==2.0"
    # Pins alone lead to themselves, so that every node builds what the driver named.
    for path in shelf.iterdir():
        path.unlink()
    assert resolve(pins, "3.11", tmp_path) == pins


def test_versions_of_the_lock_are_preferred_and_give_way(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("1.0", "1.5", "2.0"):
        make_wheel(shelf, {"killgrid_demo.py": ""}, version=version)
    lock = tmp_path / "lock"
    lock.write_text("# pins\nkillgrid-demo==1.5\n")
    monkeypatch.setattr(packages, "LOCK", lock)
    assert resolve(["killgrid-demo"], "3.11", tmp_path) == ("killgrid-demo==1.5",)
    assert resolve(["killgrid-demo>1.5"], "3.11", tmp_path) == ("killgrid-demo==2.0",)


def test_a_requirement_without_wheel_says_what_to_do(shelf: Path, tmp_path: Path) -> None:
    make_sdist(shelf, {"setup.py": "raise SystemExit('ran')"})
    with pytest.raises(NotFoundError) as caught:
        resolve(["killgrid-demo==1.0"], "3.11", tmp_path)
    line = str(caught.value)
    assert line.startswith("environment (killgrid-demo==1.0; Python 3.11): ")
    assert "no usable wheels" in line
    assert "UV_FIND_LINKS" in line
    assert "\n" not in line


@pytest.mark.parametrize("line", ["-r other.txt", "--index-url x", "", " ", "a\n-r b", "# note"])
def test_a_line_that_is_no_requirement_is_refused(line: str, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="is not a requirement"):
        resolve([line], "3.11", tmp_path)


def test_bad_and_unknown_requirements_are_not_found(shelf: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"idna ==.*: Couldn't parse requirement"):
        resolve(["idna =="], "3.11", tmp_path)
    make_wheel(shelf, {"killgrid_demo.py": ""})
    with pytest.raises(NotFoundError, match="no version of killgrid-demo==7"):
        resolve(["killgrid-demo==7"], "3.11", tmp_path)


def test_a_network_that_is_down_is_trouble_on_our_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with pytest.raises(InfraError, match=r"^packages cannot be reached: Failed to fetch.*$"):
        resolve(["idna"], "3.11", tmp_path)
    with pytest.raises(InfraError, match=r"^packages cannot be reached: Failed to fetch.*$"):
        find_release("idna==3.16", "3.11", tmp_path)


def test_settings_of_the_folder_one_is_in_do_not_count(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_wheel(shelf, {"killgrid_demo.py": ""})
    project = tmp_path / "project"
    project.mkdir()
    (project / "pyproject.toml").write_text("[tool.uv]\nno-binary-package = ['killgrid-demo']\n")
    monkeypatch.chdir(project)
    assert resolve(["killgrid-demo"], "3.11", tmp_path / "cache") == ("killgrid-demo==1.0",)


def test_causes_are_joined_and_hints_dropped() -> None:
    said = "error: No solution\n  cause: Because a\n         and b.\n\nhint: try c\n"
    assert one_line(said) == "No solution: Because a and b."
    assert one_line("") == "no reason given"
    assert len(one_line("x" * 10_000)) < 700
