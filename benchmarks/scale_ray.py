"""Stands in for the functions of Ray that the driver calls: they reach a simulated cluster."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from unittest import mock

if TYPE_CHECKING:
    from benchmarks.scale_cluster import Cluster


@dataclass(frozen=True)
class Put:
    """What `ray.put` returns."""

    value: Any


@dataclass(frozen=True)
class _Remote:
    cluster: Cluster
    chosen: dict[str, Any] = field(default_factory=dict)

    def options(self, **options: Any) -> _Remote:
        return _Remote(self.cluster, options)

    def remote(self, *what: Any) -> Any:
        return self.cluster.submit(what, self.chosen)


@contextlib.contextmanager
def in_place_of_ray(cluster: Cluster) -> Iterator[None]:
    """Let the driver's calls of Ray reach the simulated cluster for the time of a `with` block."""

    def put(value: Any) -> Put:
        cluster.put += len(pickle.dumps(value))
        return Put(value)

    def remote(**_options: Any) -> Callable[..., _Remote]:
        return lambda _function: _Remote(cluster)

    with (
        mock.patch("ray.remote", remote),
        mock.patch("ray.put", put),
        mock.patch("ray.cancel", cluster.cancel),
        mock.patch("ray.nodes", cluster.nodes),
    ):
        yield
