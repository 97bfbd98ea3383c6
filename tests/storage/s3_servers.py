"""Real S3 servers on loopback: moto's, and Ceph's object gateway where it is installed.

Each runs in processes and a folder of its own and ends with its test session. Ceph is the one that
shares no code with boto; `tests/storage/install_ceph.sh` installs it.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

KEY_ID, SECRET = "testing", "testing-secret"
START_S = 120.0
ROOT = Path(__file__).parents[2]

CEPH_CONFIG = """
[global]
fsid = {fsid}
mon host = [v2:127.0.0.1:{port}/0]
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
keyring = {folder}/keyring
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 6442450944
mon allow pool size one = true
mon data avail crit = 1
run dir = {folder}/run
admin socket = {folder}/run/$name.$pid.asok
log file = {folder}/$name.log
mon data = {folder}/mon
osd data = {folder}/osd
public network = 127.0.0.0/8
ms bind ipv6 = false
rgw thread pool size = 32
rgw dynamic resharding = false
"""


def has_ceph() -> bool:
    return all(map(shutil.which, ("radosgw", "radosgw-admin", "ceph-mon", "ceph-osd", "ceph")))


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def moto_server() -> Iterator[str]:
    """URL of a server that keeps all in memory and asks for no credentials."""
    port = free_port()
    command = [sys.executable, "-m", "tests.storage.moto_one_by_one", str(port)]
    with _running(command):
        url = f"http://127.0.0.1:{port}"
        _await(url)
        yield url


@contextmanager
def ceph_server(folder: Path) -> Iterator[str]:
    """URL of Ceph's gateway over one monitor and one storage process that keeps all in memory."""
    port, gate, config = free_port(), free_port(), folder / "ceph.conf"
    for name in ("mon", "osd", "run"):
        (folder / name).mkdir()
    fsid = str(uuid.uuid4())
    config.write_text(CEPH_CONFIG.format(fsid=fsid, port=port, folder=folder))
    at = ["-c", str(config)]
    _keys(folder / "keyring")
    address = f"[v2:127.0.0.1:{port}]"
    _do("monmaptool", "--create", "--fsid", fsid, "--addv", "a", address, f"{folder}/monmap")
    monitor = ["ceph-mon", "-i", "a", *at]
    _do(*monitor, "--mkfs", "--monmap", f"{folder}/monmap", "--keyring", f"{folder}/keyring")
    with ExitStack() as running:
        running.enter_context(_running([*monitor, "-f"]))
        disk = str(uuid.uuid4())
        _do("ceph", *at, "osd", "new", disk)
        _do("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", disk, *at)
        running.enter_context(_running(["ceph-osd", "-f", "-i", "0", *at]))
        front = f"beast endpoint=127.0.0.1:{gate}"
        name = ["-n", "client.admin"]
        running.enter_context(_running(["radosgw", "-f", *name, *at, "--rgw-frontends", front]))
        keys = ["--access-key", KEY_ID, "--secret-key", SECRET]
        _do("radosgw-admin", *at, "user", "create", "--uid=it", "--display-name=it", *keys)
        _await(f"http://127.0.0.1:{gate}")
        yield f"http://127.0.0.1:{gate}"


def _keys(file: Path) -> None:
    _do(
        "ceph-authtool",
        "--create-keyring",
        str(file),
        "--gen-key",
        "-n",
        "mon.",
        "--cap",
        "mon",
        "allow *",
    )
    caps = [word for part in ("mon", "osd", "mgr") for word in ("--cap", part, "allow *")]
    for name in ("client.admin", "osd.0"):
        _do("ceph-authtool", str(file), "--gen-key", "-n", name, *caps)


def _do(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=START_S, check=False)
    if done.returncode:
        raise RuntimeError(f"{json.dumps(command)}: {done.stderr or done.stdout}")


@contextmanager
def _running(command: list[str]) -> Iterator[None]:
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=quiet, stderr=quiet, cwd=ROOT)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await(url: str) -> None:
    end = time.monotonic() + START_S
    while True:
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
        else:
            return


def make_bucket(url: str) -> str:
    """URI of a store in a new bucket of a server."""
    import boto3

    name = f"killgrid-{uuid.uuid4().hex[:12]}"
    boto3.client("s3", endpoint_url=url, region_name="us-east-1").create_bucket(Bucket=name)
    return f"s3://{name}/some/prefix?endpoint_url={url}"
