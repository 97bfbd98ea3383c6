"""A process in the hub: an S3 server, and before it a proxy whose faults are set while it runs.

    python -m tests.faults.s3_service --host 10.77.0.1 --port 9000 --folder FOLDER

`FOLDER/faults.json` holds the share of requests that fail, and how; `FOLDER/traffic.json` tells
what went through so far. The bucket keeps every version of an object, so that whatever is written
twice shows.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from pathlib import Path

import boto3

from tests.storage.faulty_proxy import FAULTS, Traffic, faulty_proxy
from tests.storage.s3_servers import moto_server

BUCKET = "nights"
LOOK_EVERY_S = 0.2
SEED = 20261130


def serve(host: str, port: int, folder: Path) -> None:
    """Serve until ended."""
    traffic = Traffic(draw=random.Random(SEED))
    with moto_server() as direct, faulty_proxy(direct, traffic, port, host) as url:
        client = boto3.client("s3", endpoint_url=direct, region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        kept = {"Status": "Enabled"}
        client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration=kept)
        (folder / "url").write_text(url)
        while True:
            follow(folder / "faults.json", traffic)
            tell(folder / "traffic.json", traffic)
            time.sleep(LOOK_EVERY_S)


def follow(orders: Path, traffic: Traffic) -> None:
    if orders.exists():
        told = json.loads(orders.read_text())
        traffic.share, traffic.faults = told["share"], tuple(told.get("faults", FAULTS))


def tell(path: Path, traffic: Traffic) -> None:
    with traffic.lock:
        seen = {"requests": dict(traffic.requests), "failed": dict(traffic.failed)}
    put(path, seen)


def put(path: Path, value: object) -> None:
    """Replace a small file whole."""
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps(value))
    fresh.rename(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    options = parser.parse_args()
    serve(options.host, options.port, options.folder)


if __name__ == "__main__":
    main()
