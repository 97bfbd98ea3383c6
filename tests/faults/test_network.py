from __future__ import annotations

import json
import subprocess
import sys

from tests.faults.network import HUB_ADDRESS, NETNS, Network, inside, remove_leftovers

LISTEN = """
import socket
server = socket.create_server(("{address}", 7000))
print("ready", flush=True)
while True:
    server.accept()[0].close()
"""
CALL = 'import socket; socket.create_connection(("{address}", 7000), 0.5).close()'


def reached(network: Network, node: int) -> bool:
    call = CALL.format(address=HUB_ADDRESS)
    command = inside(network.namespace(node), [sys.executable, "-S", "-c", call])
    return subprocess.run(command, capture_output=True, timeout=30, check=False).returncode == 0


def test_a_node_whose_link_is_cut_reaches_nobody_until_it_is_restored(own_network: None) -> None:
    with Network(2) as network:
        listen = LISTEN.format(address=HUB_ADDRESS)
        command = inside(network.hub, [sys.executable, "-S", "-c", listen])
        with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
            try:
                assert server.stdout is not None
                assert server.stdout.readline() == b"ready\n"
                assert reached(network, 0)
                network.cut(0)
                assert not reached(network, 0)
                assert reached(network, 1)
                network.restore(0)
                assert any(reached(network, 0) for _ in range(10))
            finally:
                server.kill()


def test_a_node_sees_nothing_of_the_machine_and_has_no_way_out(own_network: None) -> None:
    with Network(1) as network:
        told = {}
        for what in ("link", "route"):
            command = inside(network.namespace(0), ["ip", "-json", what])
            told[what] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert {link["ifname"] for link in told["link"]} == {"lo", "eth0"}
    assert [route["dst"] for route in told["route"]] == ["10.77.0.0/24"]


def test_nothing_stays_behind(own_network: None) -> None:
    with Network(1) as network:
        names = {network.hub, network.namespace(0)}
        assert names <= {path.name for path in NETNS.iterdir()}
        remove_leftovers()
        assert names <= {path.name for path in NETNS.iterdir()}
    assert not names & ({path.name for path in NETNS.iterdir()} if NETNS.exists() else set())
