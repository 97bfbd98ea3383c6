"""Run as root before bubblewrap: makes the mounted folders reachable, then drops to a plain user.

Root in a user namespace still reads what root owns, so the sandbox runs as a plain uid; that uid
cannot walk to folders under a closed home. In a mount namespace of this process alone they are
bound to a reachable place first. Run as a script: `launch.py STAGE UID N SOURCE*N COMMAND...`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any


def _kernel() -> Any:
    path = Path(__file__).parent / "sandbox" / "kernel.py"
    spec = importlib.util.spec_from_file_location("kernel", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(stage: str, uid: int, sources: list[str], command: list[str]) -> None:
    """Bind each source to STAGE/<position>, drop to `uid` for good, and become the command."""
    kernel = _kernel()
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("tmpfs", stage, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=0755,size=1m")
    for position, source in enumerate(sources):
        target = Path(stage) / str(position)
        if Path(source).is_dir():
            target.mkdir()
        else:
            target.touch()
        kernel.mount(source, str(target), flags=kernel.MS_BIND | kernel.MS_REC)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    os.chdir("/")
    os.execv(command[0], command)


if __name__ == "__main__":
    _, stage_, uid_, count_, *rest_ = sys.argv
    main(stage_, int(uid_), rest_[: int(count_)], rest_[int(count_) :])
