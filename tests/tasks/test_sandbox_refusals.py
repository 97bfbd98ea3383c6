"""A node whose sandbox does not work says so in one line, and what to change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from configs.errors import SandboxError
from tasks import bwrap, namespaces
from tasks.environments import ensure_environment
from tasks.host import Host
from tasks.records import Environment
from tests.tasks.measuring import cache


def start(changed: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The refusal of a host whose bubblewrap gets these further options."""
    plain = bwrap._options
    monkeypatch.setattr(bwrap, "_options", lambda *given: [*changed, *plain(*given)])
    with pytest.raises(SandboxError) as caught:
        Host(ensure_environment(Environment(), cache()), cache())
    return str(caught.value)


def test_nested_namespaces_that_are_switched_off_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    said = start(["--unshare-user", "--disable-userns"], monkeypatch)
    assert "the sandbox does not work" in said
    assert "no namespaces inside the sandbox: unshare" in said
    assert "user namespaces, nested once" in said
    assert "\n" not in said


def test_a_sandbox_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    said = start(["--ro-bind", "/does/not/exist", "/mnt"], monkeypatch)
    assert "the sandbox does not start" in said
    assert "/does/not/exist" in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("switch", "value", "expected"),
    [
        ("user/max_user_namespaces", "0", "user.max_user_namespaces=4096 (it is 0)"),
        ("user/max_pid_namespaces", "1", "user.max_pid_namespaces=4096 (it is 1)"),
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1 (it is 0)"),
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "kernel.apparmor_restrict_unprivileged_userns=0 (it is 1)",
        ),
    ],
)
def test_a_switch_of_the_kernel_is_named_with_its_value(
    tmp_path: Path, switch: str, value: str, expected: str
) -> None:
    for name in ("user", "kernel"):
        (tmp_path / name).mkdir()
    (tmp_path / "user/max_user_namespaces").write_text("96365\n")
    (tmp_path / switch).write_text(f"{value}\n")
    assert namespaces.remedy(tmp_path) == f"set {expected} (sysctl -w)"


def test_without_a_switch_that_is_off_the_needs_are_told(tmp_path: Path) -> None:
    assert "seccomp profile" in namespaces.remedy(tmp_path)
