"""What a station sees of the file system: its suite's tree and an empty /tmp.

Overlay file systems in namespaces of our own: what is written lies in an upper layer, so every tree
is pristine. What a child sees is in `private.py`.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass

from . import kernel

WORK = "/work"  # where every suite finds its subject's tree
TMP = "/tmp"
LAYERS = "/layers"
_TREES = "/trees"


@dataclass(frozen=True)
class View:
    """Layers of one station. `tree` is the pristine tree, `upper` what collection added."""

    tree: str = f"{LAYERS}/tree"
    bytecode: str = f"{LAYERS}/bytecode"
    upper: str = f"{LAYERS}/upper"
    tmp: str = f"{LAYERS}/tmp"


def overlay(target: str, lower: str, upper: str, work: str) -> None:
    # userxattr: without CAP_SYS_ADMIN on the host, whiteouts must live in user.* attributes.
    data = f"lowerdir={lower},upperdir={upper},workdir={work},userxattr"
    kernel.mount("overlay", target, "overlay", kernel.MS_NOSUID | kernel.MS_NODEV, data)


def write(root: str, path: str, data: bytes) -> None:
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
    kernel.mount("tmpfs", LAYERS, "tmpfs", flags, f"size={tmp_mb}m,mode=0755")
    for folder in (
        view.tree,
        view.bytecode,
        view.upper,
        f"{LAYERS}/scratch",
        view.tmp,
        f"{LAYERS}/own",
    ):
        os.mkdir(folder)
    os.chmod(view.tmp, 0o1777)
    os.mkdir(f"{view.tmp}/home")
    kernel.mount(f"{_TREES}/{tree_id}", view.tree, flags=kernel.MS_BIND | kernel.MS_REC)
    if bytecode_id:
        kernel.mount(f"{_TREES}/{bytecode_id}", view.bytecode, flags=kernel.MS_BIND)
    kernel.mount("tmpfs", _TREES, "tmpfs", flags, "size=4k,mode=0555")
    for path, data in files.items():
        write(view.upper, path, data)
    overlay(WORK, f"{view.bytecode}:{view.tree}", view.upper, f"{LAYERS}/scratch")
    kernel.mount(view.tmp, TMP, flags=kernel.MS_BIND)
    with contextlib.suppress(OSError):
        # Some kernels refuse while /proc is partly covered: the outer one stays, and serves.
        kernel.mount("proc", "/proc", "proc", flags | kernel.MS_NOEXEC)
    os.chdir(WORK)
    return view
