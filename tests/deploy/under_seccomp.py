"""Loads a seccomp profile as a container runtime does, then becomes the command.

Run as a script: `under_seccomp.py PROFILE COMMAND...`; needs libseccomp, which Debian always has.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any

ALLOW = 0x7FFF0000
ERRNO = 0x00050000
NO_NEW_PRIVILEGES = 3


def library() -> Any:
    """libseccomp; OSError where there is none."""
    found = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    found.seccomp_init.restype = ctypes.c_void_p
    return found


def unknown(names: list[str]) -> list[str]:
    """Those that are no system call of any machine."""
    seccomp = library()
    return [n for n in names if seccomp.seccomp_syscall_resolve_name(n.encode()) == -1]


def load(profile: dict[str, Any]) -> None:
    """Put this process and all that it starts under the profile, for good."""
    seccomp = library()
    assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
    context = ctypes.c_void_p(seccomp.seccomp_init(ALLOW))
    for group in profile["syscalls"]:
        assert group["action"] == "SCMP_ACT_ERRNO"
        for name in group["names"]:
            number = seccomp.seccomp_syscall_resolve_name(name.encode())
            if seccomp.seccomp_rule_add(context, ERRNO | group["errnoRet"], number, 0):
                raise OSError(f"no rule for {name}")
    seccomp.seccomp_attr_set(context, NO_NEW_PRIVILEGES, 1)
    if seccomp.seccomp_load(context):
        raise OSError("the profile was not loaded")


if __name__ == "__main__":
    load(json.loads(Path(sys.argv[1]).read_text()))
    os.execvp(sys.argv[2], sys.argv[2:])
