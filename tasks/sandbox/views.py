"""What a process sees of the file system: the station's tree, and a child's private copy of it.

Overlay file systems in namespaces of our own: a child's writes, and the mutated file, lie in an
upper layer that disappears with the child, so every tree is pristine.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass

from . import kernel

WORK = "/work"  # where every suite finds its subject's tree
TMP = "/tmp"
_LAYERS = "/layers"
_TREES = "/trees"


@dataclass(frozen=True)
class View:
    """Layers of one station. `tree` is the pristine tree, `upper` what collection added."""

    tree: str = f"{_LAYERS}/tree"
    bytecode: str = f"{_LAYERS}/bytecode"
    upper: str = f"{_LAYERS}/upper"
    tmp: str = f"{_LAYERS}/tmp"


def _overlay(target: str, lower: str, upper: str, work: str) -> None:
    # userxattr: without CAP_SYS_ADMIN on the host, whiteouts must live in user.* attributes.
    data = f"lowerdir={lower},upperdir={upper},workdir={work},userxattr"
    kernel.mount("overlay", target, "overlay", kernel.MS_NOSUID | kernel.MS_NODEV, data)


def _write(root: str, path: str, data: bytes) -> None:
    target = os.path.join(root, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "wb") as file:
        file.write(data)


def open_station(tree_id: str, bytecode_id: str, files: dict[str, bytes], tmp_mb: int) -> View:
    """Mount a station's view: the tree with the suite's files over it, and an empty /tmp.

    Must run in a mount namespace of its own. Other subjects' trees are hidden afterwards.
    """
    view = View()
    flags = kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("tmpfs", _LAYERS, "tmpfs", flags, f"size={tmp_mb}m,mode=0755")
    for folder in (
        view.tree,
        view.bytecode,
        view.upper,
        f"{_LAYERS}/scratch",
        view.tmp,
        f"{_LAYERS}/own",
    ):
        os.mkdir(folder)
    os.chmod(view.tmp, 0o1777)
    os.mkdir(f"{view.tmp}/home")
    kernel.mount(f"{_TREES}/{tree_id}", view.tree, flags=kernel.MS_BIND | kernel.MS_REC)
    if bytecode_id:
        kernel.mount(f"{_TREES}/{bytecode_id}", view.bytecode, flags=kernel.MS_BIND)
    kernel.mount("tmpfs", _TREES, "tmpfs", flags, "size=4k,mode=0555")
    for path, data in files.items():
        _write(view.upper, path, data)
    _overlay(WORK, f"{view.bytecode}:{view.tree}", view.upper, f"{_LAYERS}/scratch")
    kernel.mount(view.tmp, TMP, flags=kernel.MS_BIND)
    with contextlib.suppress(OSError):
        # Some kernels refuse while /proc is partly covered: the outer one stays, and serves.
        kernel.mount("proc", "/proc", "proc", flags | kernel.MS_NOEXEC)
    os.chdir(WORK)
    return view


def open_child(view: View, mutated: dict[str, bytes], tmp_mb: int) -> None:
    """Give the calling process its own tree and /tmp, with the mutated files in place.

    The working folder of before is kept, since a suite may have changed it while it was collected.
    """
    folder = os.getcwd()
    kernel.unshare(kernel.CLONE_NEWNS)
    own = f"{_LAYERS}/own"
    flags = kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("tmpfs", own, "tmpfs", flags, f"size={tmp_mb}m,mode=0755")
    for name in ("up", "scratch", "tmp-up", "tmp-scratch"):
        os.mkdir(f"{own}/{name}")
    os.chmod(f"{own}/tmp-up", 0o1777)
    for path, data in mutated.items():
        _write(f"{own}/up", path, data)
    _overlay(WORK, f"{view.upper}:{view.bytecode}:{view.tree}", f"{own}/up", f"{own}/scratch")
    _overlay(TMP, view.tmp, f"{own}/tmp-up", f"{own}/tmp-scratch")
    kernel.mount("tmpfs", "/dev/shm", "tmpfs", flags, f"size={tmp_mb}m,mode=1777")
    os.chdir(folder)
