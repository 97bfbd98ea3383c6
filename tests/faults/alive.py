"""Prints Ray's account of the nodes; run inside a node's network.

python -m tests.faults.alive ADDRESS
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    from ray._raylet import GcsClient  # type: ignore[attr-defined]
    from ray.core.generated import gcs_pb2

    nodes = GcsClient(address=sys.argv[1]).get_all_node_info(timeout=5)
    told = [
        {
            "id": node.node_id.hex(),
            "address": node.node_manager_address,
            "alive": node.state == gcs_pb2.GcsNodeInfo.GcsNodeState.ALIVE,
        }
        for node in nodes.values()
    ]
    print(json.dumps(told))


if __name__ == "__main__":
    main()
