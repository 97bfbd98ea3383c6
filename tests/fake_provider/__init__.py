"""A server of models that plays a script: four wire formats, and everything that can go wrong.

Loopback only, for tests, benchmarks and demonstrations without a key:

    python -m tests.fake_provider --port 8099 --script script.json --log asked.jsonl

`script.py` says what a script holds. Without one, the models of `green_tests.py` are played, each a
writer of suites with a manner of its own, so that the benchmark runs whole:

    killgrid run configs/experiments/green_tests.yaml --set 'models=[fake/careful, fake/verbose]'
        --set 'providers={fake: {wire: chat, base_url: "http://127.0.0.1:8099/v1", prices: {
        careful: {input_mtok: 3, output_mtok: 15}, verbose: {input_mtok: 3, output_mtok: 15}}}}'

GET /stats tells what it was asked.
"""

from tests.fake_provider.asking import WIRES, Asked, Wire
from tests.fake_provider.running import Running, running
from tests.fake_provider.script import DOINGS, Reply, Rule, Script
from tests.fake_provider.server import FakeProvider

__all__ = [
    "DOINGS",
    "WIRES",
    "Asked",
    "FakeProvider",
    "Reply",
    "Rule",
    "Running",
    "Script",
    "Wire",
    "running",
]
