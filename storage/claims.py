"""Which driver may write to an experiment: the one that came last, wherever it runs.

A driver that is cut off from its users looks dead and is replaced; when it comes back, or was never
gone, it must not go on storing the same work. Claims are numbered objects, put only if absent.
"""

from __future__ import annotations

import json
import os
import socket
from dataclasses import dataclass
from datetime import UTC, datetime

from configs.errors import InfraError
from storage.objects import ObjectStore


class TakenOverError(InfraError):
    """Another driver has taken an experiment over."""


@dataclass(frozen=True)
class Claim:
    """One driver's right to write; `check` before every commit."""

    store: ObjectStore
    experiment_id: str
    number: int

    def check(self) -> None:
        """TakenOverError that names the driver which has taken over since."""
        last = _numbers(self.store, self.experiment_id)[-1]
        if last != self.number:
            told = _told(self.store, _key(self.experiment_id, last))
            raise TakenOverError(
                f"{self.experiment_id}: process {told['pid']} on {told['host']} took the "
                f"experiment over at {told['at']}; what was not stored before is left to it"
            )


def claim(store: ObjectStore, experiment_id: str) -> Claim:
    """Take over an experiment; any other driver of it stops at its next commit."""
    told = {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    data = json.dumps(told).encode()
    while True:
        number = max(_numbers(store, experiment_id), default=0) + 1
        if store.put_if_absent(_key(experiment_id, number), data):
            return Claim(store, experiment_id, number)


def last_driver(store: ObjectStore, experiment_id: str) -> str:
    """Process, host and start of the driver that came last; empty where there was none."""
    numbers = _numbers(store, experiment_id)
    if not numbers:
        return ""
    told = _told(store, _key(experiment_id, numbers[-1]))
    return f"process {told['pid']} on {told['host']} since {told['at']}"


def _key(experiment_id: str, number: int) -> str:
    return f"{experiment_id}/drivers/{number:06d}.json"


def _numbers(store: ObjectStore, experiment_id: str) -> list[int]:
    keys = store.list(f"{experiment_id}/drivers/")
    return sorted(int(key.rpartition("/")[2].removesuffix(".json")) for key in keys)


def _told(store: ObjectStore, key: str) -> dict[str, str]:
    told: dict[str, str] = json.loads(store.get(key))
    return told
