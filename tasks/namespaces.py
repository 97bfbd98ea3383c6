"""Why user namespaces may not work on this machine, by the kernel's switches, and what helps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

# The sandbox's own, that of each station, and a few at once on the other cores.
LEAST = 16
_LIMITS = ("user", "mnt", "pid", "ipc", "net")
_NEEDS = (
    "killgrid needs unprivileged user namespaces, nested once, and overlay mounts in them (Linux "
    "5.11 or later; in a container, a seccomp profile that allows unshare and mount: with Docker "
    "--security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined)"
)


def remedy(sysctls: Path = Path("/proc/sys")) -> str:
    """What to change so that the sandbox works: the switches that are off, else what it needs."""
    switches = list(_switched_off(sysctls))
    return f"set {', '.join(switches)} (sysctl -w)" if switches else _NEEDS


def _switched_off(sysctls: Path) -> Iterator[str]:
    for name in _LIMITS:
        value = _read(sysctls / f"user/max_{name}_namespaces")
        if value is not None and value < LEAST:
            yield f"user.max_{name}_namespaces=4096 (it is {value})"
    if _read(sysctls / "kernel/unprivileged_userns_clone") == 0:
        yield "kernel.unprivileged_userns_clone=1 (it is 0)"
    if _read(sysctls / "kernel/apparmor_restrict_unprivileged_userns") == 1:
        yield "kernel.apparmor_restrict_unprivileged_userns=0 (it is 1)"


def _read(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None
