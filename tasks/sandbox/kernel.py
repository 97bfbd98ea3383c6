"""The few Linux calls that the standard library lacks: namespaces, mounts, capabilities."""

from __future__ import annotations

import ctypes
import os

CLONE_NEWNS = 0x00020000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
PR_SET_PDEATHSIG = 1
PR_SET_NAME = 15
_CAPABILITY_VERSION_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Leave the namespaces named by `flags`; OSError when the kernel says no."""
    _check(_libc.unshare(ctypes.c_int(flags)), f"unshare({flags:#x})")


def setns(fd: int, flags: int) -> None:
    """Enter the namespace that a descriptor stands for; OSError when the kernel says no."""
    _check(_libc.setns(ctypes.c_int(fd), ctypes.c_int(flags)), f"setns({flags:#x})")


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    """mount(2); OSError names the target."""
    result = _libc.mount(
        source.encode(),
        target.encode(),
        kind.encode() or None,
        ctypes.c_ulong(flags),
        data.encode() or None,
    )
    _check(result, f"mount {kind or 'bind'} on {target}")


def set_parent_death_signal(signal_number: int) -> None:
    """The calling process gets this signal when the thread that forked it ends."""
    _check(_libc.prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0), "prctl")


class _CapHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapData(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


# Made once: every child would have to make them anew, in memory that it must copy first.
_NO_CAPABILITIES = (
    ctypes.byref(_CapHeader(_CAPABILITY_VERSION_3, 0)),
    ctypes.byref((_CapData * 2)()),
)


def drop_capabilities() -> None:
    """Give up every capability, so that a test sees the rights of a plain user."""
    _check(_libc.capset(*_NO_CAPABILITIES), "capset")


def process_cpu_clock(pid: int) -> int:
    """Id of another process's CPU clock for `time.clock_gettime`; see clock_getcpuclockid(3)."""
    return (~pid << 3) | 2
