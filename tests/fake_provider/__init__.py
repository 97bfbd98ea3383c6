"""A server of models that plays a script: four wire formats, and everything that can go wrong.

Loopback only, for tests, benchmarks and demonstrations without a key:

    python -m tests.fake_provider --port 8099 --script script.json --log asked.jsonl

`script.py` says what a script holds, `green_tests.py` makes one that plays four writers of suites.
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
