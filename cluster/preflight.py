"""Checks every node before any work goes there, and names the one that fails."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from cluster.ray_session import live_nodes
from cluster.ray_tasks import cache_folder, node_name
from cluster.versions import code_hash
from configs.errors import InfraError, KillgridError, SandboxError

PATIENCE_S = 900.0


@dataclass(frozen=True)
class NodeReport:
    """What a node has, and what is wrong with it; `code` is a hash over our own source files."""

    node: str
    python: str
    ray: str
    code: str
    faults: tuple[str, ...] = ()
    sandbox: str = ""


def check_nodes(cache: Path | None) -> list[NodeReport]:
    """A report of each live node. SandboxError or InfraError, in one line, names all that fail.

    A node that is lost meanwhile is none of them: that happens, and is no reason to stop. On a
    node's first use this builds the default environment, which takes some seconds.
    """
    import ray

    waiting = {_on_node(node["NodeID"]).remote(cache): node for node in live_nodes()}
    ready, _ = ray.wait(list(waiting), num_returns=len(waiting), timeout=PATIENCE_S)
    reports, faults = [], {}
    for reference, node in waiting.items():
        name = f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']})"
        if reference not in ready:
            faults[node["NodeID"]] = f"node {name}: no answer within {PATIENCE_S:.0f} s"
            continue
        try:
            reports.append(ray.get(reference))
        except ray.exceptions.RayError as error:
            last = str(error).strip().splitlines()[-1]
            faults[node["NodeID"]] = f"node {name}: {last}"
    alive = {node["NodeID"] for node in live_nodes()} if faults else set()
    judge(report_here(), reports, [words for node, words in faults.items() if node in alive])
    if not reports:
        raise InfraError("; ".join(faults.values()) or "the cluster has no node")
    return reports


def judge(here: NodeReport, reports: Iterable[NodeReport], faults: Iterable[str] = ()) -> None:
    """Raise what is wrong with nodes; a node must have the driver's versions and code."""
    wrong = list(faults)
    for report in reports:
        wrong += [f"node {report.node}: {fault}" for fault in report.faults]
        for what in ("python", "ray", "code"):
            theirs, ours = getattr(report, what), getattr(here, what)
            if theirs != ours:
                wrong.append(f"node {report.node}: {what} is {theirs}, the driver's is {ours}")
    without = [f"node {each.node}: {each.sandbox}" for each in reports if each.sandbox]
    if wrong:
        raise InfraError("; ".join([*wrong, *without]))
    if without:
        raise SandboxError("; ".join(without))


def report_here() -> NodeReport:
    """This process's versions and code; what only a worker needs is not tried."""
    return NodeReport(node_name(), platform.python_version(), metadata.version("ray"), code_hash())


def examine(cache: Path | None) -> NodeReport:
    """The task that runs on each node: versions, uv, the cache folder and the sandbox."""
    here = report_here()
    faults: list[str] = []
    sandbox = ""
    folder = cache_folder(cache)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not _uv():
            faults.append("uv is missing: install it beside killgrid (make setup does)")
        else:
            sandbox = _sandbox(folder)
    except (OSError, KillgridError) as error:
        faults.append(" ".join(str(error).split()))
    return NodeReport(here.node, here.python, here.ray, here.code, tuple(faults), sandbox)


def _uv() -> bool:
    try:
        from uv import find_uv_bin

        return bool(find_uv_bin())
    except (ImportError, FileNotFoundError):
        return shutil.which("uv") is not None


def _sandbox(folder: Path) -> str:
    from tasks.job import check_sandbox

    try:
        check_sandbox(folder)
    except SandboxError as error:
        return " ".join(str(error).split())
    return ""


def _on_node(node_id: str) -> Any:
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    strategy = NodeAffinitySchedulingStrategy(node_id, soft=False)
    return ray.remote(examine).options(num_cpus=0, max_retries=1, scheduling_strategy=strategy)
