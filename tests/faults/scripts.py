"""What befalls the nights: scripts of faults by the seconds since the first task began."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.faults.nights import Night

CUT_S = 40.0
S3_SHARE = 0.1


@dataclass(frozen=True)
class Fault:
    """Something that happens `at_s`. `act` is False where it found nothing to do: it comes again.

    A fault without `act` is the driver's: it is killed and started again by the same command.
    """

    at_s: float
    words: str
    act: Callable[[Night], bool | None] | None


def worker_killed(at_s: float) -> Fault:
    return Fault(at_s, "a worker killed", lambda night: night.kill_worker())


def workers_killed(first_s: float, every_s: float, count: int) -> list[Fault]:
    return [worker_killed(first_s + every_s * n) for n in range(count)]


def node_killed(at_s: float, node: int, off_s: float) -> list[Fault]:
    return [
        Fault(at_s, f"node {node} killed", lambda night: night.kill_node(node)),
        node_on(at_s + off_s, node),
    ]


def node_on(at_s: float, node: int) -> Fault:
    return Fault(at_s, f"node {node} on", lambda night: night.restart_node(node))


def node_cut(at_s: float, node: int) -> list[Fault]:
    return [
        Fault(at_s, f"node {node} cut off", lambda night: night.cut_link(node)),
        Fault(at_s + CUT_S, f"node {node} back", lambda night: night.restore_link(node)),
    ]


def driver_killed(at_s: float) -> Fault:
    return Fault(at_s, "the driver killed, and started again", None)


def s3_gone(at_s: float, for_s: float, share_after: float) -> list[Fault]:
    return [
        Fault(at_s, "S3 gone", lambda night: _s3_fails(night, 1.0, "reset")),
        Fault(at_s + for_s, "S3 back", lambda night: _s3_fails(night, share_after)),
    ]


def _s3_fails(night: Night, share: float, *faults: str) -> None:
    assert night.s3 is not None
    night.s3.fails(share, faults)


@dataclass(frozen=True)
class Script:
    """Faults in the order of their times; `s3_share` of S3's requests fails from the start."""

    name: str
    faults: tuple[Fault, ...]
    s3_share: float = 0.0


def script(name: str, *faults: Fault, s3_share: float = 0.0) -> Script:
    return Script(name, tuple(sorted(faults, key=lambda fault: fault.at_s)), s3_share)


# Node 0 is the head, where the driver runs.
SCRIPTS = (
    script("undisturbed"),
    script(
        "node_killed",
        *node_killed(15, node=2, off_s=20),
        *workers_killed(45, every_s=10, count=3),
        s3_share=S3_SHARE,
    ),
    script("node_cut_off", *node_cut(15, node=1), *workers_killed(8, every_s=9, count=6)),
    script(
        "driver_killed",
        driver_killed(20),
        *workers_killed(10, every_s=25, count=3),
        *s3_gone(35, for_s=20, share_after=S3_SHARE),
        driver_killed(55),
        s3_share=S3_SHARE,
    ),
)
