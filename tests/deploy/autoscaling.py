"""One experiment on a cluster that Ray's autoscaler makes of nothing and takes down again.

Run as root inside namespaces of its own: Ray's start and stop end every Ray that they can see.
`autoscaling.py CONFIG STORE CACHE FOLDER`; the last line is JSON: how many nodes there were when.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.deploy.parts import document, settings

ADDRESS = "127.0.0.1:6379"
LOGS = "/tmp/ray/session_latest/logs"
BIN = Path(sys.executable).parent
START_S, RUN_S, IDLE_S, LOOK_S = 400.0, 400.0, 120.0, 1.0
COUNT = """
import ray, sys
ray.init(address=sys.argv[1], log_to_driver=False, logging_level="ERROR")
while sys.stdin.readline():
    print(sum(node["Alive"] for node in ray.nodes()), flush=True)
"""


def fake(config: dict[str, Any]) -> dict[str, Any]:
    """cluster.yaml with Ray's pretended nodes in place of EC2's; small, and quickly idle."""
    head = config["head_node_type"]
    types = {
        name: {
            "resources": {"CPU": 0 if name == head else 1, "object_store_memory": 100_000_000},
            "node_config": {},
            "min_workers": node["min_workers"],
            "max_workers": min(node["max_workers"], 2),
        }
        for name, node in config["available_node_types"].items()
        if name in (head, "spot")
    }
    # The provider finds its head under this name only.
    types["ray.head.default"] = types.pop(head)
    return {
        **{name: config[name] for name in ("cluster_name", "max_workers", "upscaling_speed")},
        "idle_timeout_minutes": 0.2,
        "provider": {
            "type": "fake_multinode",
            "gcs_address": ADDRESS,
            # All pretended nodes have one address, and nobody logs in on them.
            "use_node_id_as_ip": True,
            "disable_node_updaters": True,
            "disable_launch_config_check": True,
        },
        "available_node_types": types,
        "head_node_type": "ray.head.default",
        "auth": {},
        "docker": {},
        "setup_commands": [],
        "head_setup_commands": [],
        "worker_setup_commands": [],
        "initialization_commands": [],
        "head_start_ray_commands": [],
        "worker_start_ray_commands": [],
        "file_mounts": {},
        "cluster_synced_files": [],
    }


def start(folder: Path, environment: Mapping[str, str]) -> None:
    """A head that runs no tests, with its autoscaler."""
    config = folder / "cluster.json"
    config.write_text(json.dumps(fake(document("aws/cluster.yaml"))))
    command = [BIN / "ray", "start", "--head", "--port=6379", "--node-ip-address=127.0.0.1"]
    command += ["--num-cpus=0", "--object-store-memory=100000000", "--include-dashboard=false"]
    log = (folder / "start.log").open("wb")
    subprocess.run(
        [*map(str, command), f"--autoscaling-config={config}"],
        env={**environment, "RAY_FAKE_CLUSTER": "1", "AUTOSCALER_UPDATE_INTERVAL_S": "1"},
        stdout=log,
        stderr=log,
        timeout=START_S,
        check=True,
    )


class Counter:
    """Asks a driver of its own how many nodes are alive, the head among them."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._asked = subprocess.Popen(
            [sys.executable, "-c", COUNT, ADDRESS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
            bufsize=1,
            cwd="/",
        )

    def nodes(self) -> int:
        assert self._asked.stdin is not None
        assert self._asked.stdout is not None
        print(file=self._asked.stdin, flush=True)
        return int(self._asked.stdout.readline())


def until(process: subprocess.Popen[bytes], counter: Counter) -> Iterator[int]:
    """The number of nodes, again and again, until the process ends."""
    end = time.monotonic() + RUN_S
    while process.poll() is None and time.monotonic() < end:
        yield counter.nodes()
        time.sleep(LOOK_S)


def shrunk(counter: Counter) -> float | None:
    """Seconds until the head is alone again; None when it never was."""
    began = time.monotonic()
    while (waited := time.monotonic() - began) < IDLE_S:
        if counter.nodes() == 1:
            return round(waited, 1)
        time.sleep(LOOK_S)
    return None


def main(config: str, store: str, cache: str, folder: Path) -> dict[str, Any]:
    environment = {
        **os.environ,
        **settings("ray.env"),
        # All nodes share this machine, which may be busy with other things.
        "RAY_health_check_failure_threshold": "30",
        "RAY_raylet_start_wait_time_s": "300",
        "RAY_AUTH_TOKEN": "a-token-of-this-test-alone",
        "KILLGRID_CACHE": cache,
        "PATH": f"{BIN}:{os.environ['PATH']}",
    }
    start(folder, environment)
    counter = Counter(environment)
    before = counter.nodes()
    run = [str(BIN / "killgrid"), "run", config, "--address", ADDRESS, "--store", store]
    with (folder / "run.log").open("wb") as log:
        process = subprocess.Popen(run, env=environment, stdout=log, stderr=log)
        most = max(until(process, counter), default=0)
    seen = {
        "before": before,
        "most": most,
        "status": process.poll(),
        "shrunk_s": shrunk(counter),
        "said": (folder / "run.log").read_text()[-2000:],
    }
    shutil.copytree(LOGS, folder / "logs", symlinks=True)
    return seen


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:4], Path(sys.argv[4]))))
